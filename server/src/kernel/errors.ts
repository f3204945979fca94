import type { ErrorCode } from '@reelkeep/contract'

/** What went wrong, in the vocabulary of the domain. The status belongs to the code, in the contract. */
export type Fault = {
  readonly code: ErrorCode
  /** What happened and what to do next, for the caller. */
  readonly detail: string
  /** Where in the request the fault lies, e.g. "chapters[2].start_time". */
  readonly field?: string
}

/** A failure the caller can understand and act on. Anything else that is thrown is a bug. */
export class DomainError extends Error {
  override readonly name = 'DomainError'
  readonly code: ErrorCode
  readonly faults: readonly Fault[]
  readonly retryAfterSeconds: number | undefined

  constructor(
    fault: Fault,
    options: { faults?: readonly Fault[]; retryAfterSeconds?: number } = {},
  ) {
    super(fault.detail)
    this.code = fault.code
    this.faults = options.faults ?? (fault.field === undefined ? [] : [fault])
    this.retryAfterSeconds = options.retryAfterSeconds
  }
}

/** The request cannot be served as it stands: `detail` says how to mend it. */
export const refused = (code: ErrorCode, detail: string, field?: string) =>
  new DomainError(field === undefined ? { code, detail } : { code, detail, field })

/** Like `refused`, for something that may work a little later. */
export const notNow = (code: ErrorCode, detail: string, retryAfterSeconds: number) =>
  new DomainError({ code, detail }, { retryAfterSeconds })

/** As many as anybody mends in one go. */
export const FAULTS_MAX = 50

/** All faults of a request at once, up to a limit; the first one gives the whole its code. */
export function refusedForAll(faults: readonly [Fault, ...Fault[]]): DomainError {
  return new DomainError(faults[0], { faults: faults.slice(0, FAULTS_MAX) })
}

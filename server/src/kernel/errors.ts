import type { ErrorCode } from '@reelkeep/contract'

/** One error of a request. The contract maps its code to an HTTP status. */
export type Violation = {
  readonly code: ErrorCode
  /** Message for the client: what is wrong, then what to do. */
  readonly detail: string
  /** The invalid field, e.g. "chapters[2].start_time". */
  readonly field?: string
}

/** The quota that a request would exceed, and its use. */
export type ExceededQuota = { readonly name: string; readonly limit: number; readonly used: number }

type ErrorOptions = {
  readonly violations?: readonly Violation[]
  readonly retryAfterSeconds?: number
  readonly quota?: ExceededQuota
}

/** An error that is reported to the client with its code. Any other exception becomes `internal_error`. */
export class DomainError extends Error {
  override readonly name = 'DomainError'
  readonly code: ErrorCode
  readonly violations: readonly Violation[]
  readonly retryAfterSeconds: number | undefined
  readonly quota: ExceededQuota | undefined

  constructor(violation: Violation, options: ErrorOptions = {}) {
    super(violation.detail)
    this.code = violation.code
    this.violations = options.violations ?? (violation.field === undefined ? [] : [violation])
    this.retryAfterSeconds = options.retryAfterSeconds
    this.quota = options.quota
  }
}

/** The request is invalid or cannot be fulfilled; `detail` states how to fix it. */
export const refused = (code: ErrorCode, detail: string, field?: string) =>
  new DomainError(field === undefined ? { code, detail } : { code, detail, field })

/** Like `refused`, for a request that may succeed later. */
export const retryLater = (code: ErrorCode, detail: string, retryAfterSeconds: number) =>
  new DomainError({ code, detail }, { retryAfterSeconds })

/** A quota of the organization is used up, or the request needs more than is left. */
export const quotaExceeded = (detail: string, quota: ExceededQuota) =>
  new DomainError({ code: 'quota_exceeded', detail }, { quota })

/** Maximum number of errors per response. */
export const VIOLATIONS_MAX = 50

/** Reports several errors at once; the first one determines the code of the response. */
export function refusedForViolations(violations: readonly [Violation, ...Violation[]]): DomainError {
  return new DomainError(violations[0], { violations: violations.slice(0, VIOLATIONS_MAX) })
}

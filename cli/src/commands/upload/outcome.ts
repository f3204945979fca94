import { ApiError, type Asset, ProcessingError } from 'reelkeep'
import { CommandError, exitCodeOf, exitCodes } from '../../exit-codes.ts'
import { counted } from '../../terminal/amounts.ts'
import { hintOf, messageOf } from '../../terminal/failure.ts'
import { printable } from '../../terminal/width.ts'

export type Outcome = {
  /** Path of the file, as given or as found in a given folder. */
  readonly path: string
  /** Asset of the file, if the file was uploaded. */
  readonly asset?: Asset
  readonly failure?: Failure
}

export type Failure = {
  readonly exitCode: number
  readonly message: string
  /** Error code of the service or of the video. */
  readonly code?: string
  /** Hint on what to do about the failure. */
  readonly next?: string
}

export function failureOf(error: unknown): Failure {
  if (error instanceof ProcessingError)
    return { exitCode: exitCodes.badOutcome, message: error.detail, code: error.code }
  const code = error instanceof ApiError ? { code: error.code } : {}
  const next = hintOf(error)
  return { exitCode: exitCodeOf(error), message: messageOf(error), ...code, ...(next && { next }) }
}

export const renderFailed = ({ path, failure }: Outcome): string =>
  printable(`${path}: ${failure?.message}${failure?.code ? ` (${failure.code})` : ''}`)

/** Throws if a file failed. If the exit codes of the failures differ, the general exit code is used. */
export function assertNoFailures(outcomes: readonly Outcome[]): void {
  const failed = outcomes.filter(({ failure }) => failure !== undefined)
  const [first] = failed
  if (!first) return
  const codes = new Set(failed.map(({ failure }) => failure?.exitCode))
  const exitCode = codes.size === 1 ? first.failure?.exitCode : exitCodes.failed
  const nexts = new Set(failed.map(({ failure }) => failure?.next))
  const next = nexts.size === 1 ? first.failure?.next : undefined
  if (outcomes.length === 1) throw new CommandError(renderFailed(first), exitCode, next)
  const names = failed.map((outcome) => `\n  ${renderFailed(outcome)}`).join('')
  throw new CommandError(`${failed.length} of ${counted(outcomes.length, 'file')} failed:${names}`, exitCode, next)
}

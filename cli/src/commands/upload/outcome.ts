/** What became of one file, and of all. */
import { ApiError, type Asset, ProcessingError } from 'reelkeep'
import { CommandError, exitCodeOf, exitCodes } from '../../exit-codes.ts'
import { counted } from '../../terminal/amounts.ts'
import { nextOf, sentenceOf } from '../../terminal/failure.ts'
import { printable } from '../../terminal/width.ts'

export type Outcome = {
  /** As the file was named, or found. */
  readonly path: string
  /** Of a file that has arrived. */
  readonly asset?: Asset
  readonly failure?: Failure
}

export type Failure = {
  readonly exitCode: number
  readonly message: string
  /** The service's name for it, or for what is wrong with the video. */
  readonly code?: string
  /** What to do about it. */
  readonly next?: string
}

export function failureOf(error: unknown): Failure {
  if (error instanceof ProcessingError)
    return { exitCode: exitCodes.badOutcome, message: error.detail, code: error.code }
  const code = error instanceof ApiError ? { code: error.code } : {}
  const next = nextOf(error)
  return { exitCode: exitCodeOf(error), message: sentenceOf(error), ...code, ...(next && { next }) }
}

export const drawFailed = ({ path, failure }: Outcome): string =>
  printable(`${path}: ${failure?.message}${failure?.code ? ` (${failure.code})` : ''}`)

/** Throws if not all went well. Different failures together have no exit code but the general one. */
export function assertAllWell(outcomes: readonly Outcome[]): void {
  const failed = outcomes.filter(({ failure }) => failure !== undefined)
  const [first] = failed
  if (!first) return
  const codes = new Set(failed.map(({ failure }) => failure?.exitCode))
  const exitCode = codes.size === 1 ? first.failure?.exitCode : exitCodes.failed
  const nexts = new Set(failed.map(({ failure }) => failure?.next))
  const next = nexts.size === 1 ? first.failure?.next : undefined
  if (outcomes.length === 1) throw new CommandError(drawFailed(first), exitCode, next)
  const names = failed.map((outcome) => `\n  ${drawFailed(outcome)}`).join('')
  throw new CommandError(
    `${failed.length} of ${counted(outcomes.length, 'file')} failed:${names}`,
    exitCode,
    next,
  )
}

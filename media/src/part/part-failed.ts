import type { InterruptionReason } from '../probe/unusable-media.ts'
import type { Run } from '../sandbox/sandbox.ts'

const STDERR_CHARACTERS_MAX = 4000

/** The programs failed at it, or what they made is not what the plan says. `stderr` is for the log: how it ends. */
export class PartFailed extends Error {
  override readonly name = 'PartFailed'
  readonly stderr: string

  constructor(message: string, stderr = '', options?: ErrorOptions) {
    super(message, options)
    this.stderr = stderr.slice(-STDERR_CHARACTERS_MAX)
  }
}

/** It was not made, through no fault of the video: made again, it may well be. */
export class PartInterrupted extends Error {
  override readonly name = 'PartInterrupted'
  readonly reason: InterruptionReason

  constructor(reason: InterruptionReason, message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}

/**
 * Of a part that may be too much for one run: made in pieces, it may go. It says nothing of a
 * worker or storage that was away.
 */
export const isTooHeavy = (error: unknown): error is PartFailed | PartInterrupted =>
  error instanceof PartFailed || (error instanceof PartInterrupted && error.reason === 'too-slow')

/** Exit code 0 says that the program had no complaint, not that it did what it should. */
export function assertDone(program: string, { ending, stderr, wallSeconds }: Run): void {
  if (ending.kind === 'exited' && ending.code === 0) return
  if (ending.kind === 'aborted') throw new PartInterrupted('aborted', `${program} was called off`)
  if (ending.kind === 'killed') {
    throw new PartInterrupted('killed', `${program} was ended by ${ending.signal}`)
  }
  if (ending.kind === 'not-started') throw new PartInterrupted('sandbox-failed', ending.reason)
  if (ending.kind === 'limit' && ending.limit === 'time') {
    const failure = new PartFailed(`${program} took more than ${wallSeconds} seconds`, stderr)
    throw new PartInterrupted('too-slow', failure.message, { cause: failure })
  }
  throw new PartFailed(`${program} ended with ${JSON.stringify(ending)}`, stderr)
}

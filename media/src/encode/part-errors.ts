import type { InterruptionReason } from '../probe/unusable-media.ts'
import { workerMemoryMessage } from '../sandbox/limits.ts'
import type { Run } from '../sandbox/sandbox.ts'

const STDERR_CHARACTERS_MAX = 4000

/**
 * A program failed, or its output does not match the plan. `stderr` is the end of the program's stderr, for the log.
 */
export class PartFailed extends Error {
  override readonly name = 'PartFailed'
  readonly stderr: string

  constructor(message: string, stderr = '', options?: ErrorOptions) {
    super(message, options)
    this.stderr = stderr.slice(-STDERR_CHARACTERS_MAX)
  }
}

/** Encoding was interrupted. The video is not known to be the cause, so a retry may succeed. */
export class PartInterrupted extends Error {
  override readonly name = 'PartInterrupted'
  readonly reason: InterruptionReason

  constructor(reason: InterruptionReason, message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}

/**
 * True if the part may be too heavy for one run, so that encoding its tracks separately may
 * succeed. False if a worker or storage was unavailable.
 */
export const isTooHeavy = (error: unknown): error is PartFailed | PartInterrupted =>
  error instanceof PartFailed || (error instanceof PartInterrupted && heavyReasons.includes(error.reason))

const heavyReasons: readonly InterruptionReason[] = ['too-slow', 'worker-memory']

/** The worker's disk failed: neither the file nor the size of the part is the cause. */
export const diskInterruption = (cause: unknown) =>
  new PartInterrupted('worker-disk', 'The disk of this worker is full or broken', { cause })

/** Exit code 0 means that the program reported no error; the output is verified separately. */
export function assertSucceeded(program: string, { exitStatus, stderr, wallSeconds }: Run): void {
  if (exitStatus.kind === 'exited' && exitStatus.code === 0) return
  if (exitStatus.kind === 'aborted') throw new PartInterrupted('aborted', `${program} was aborted`)
  if (exitStatus.kind === 'killed') {
    throw new PartInterrupted('killed', `${program} was killed by ${exitStatus.signal}`)
  }
  if (exitStatus.kind === 'worker-memory') {
    throw new PartInterrupted('worker-memory', workerMemoryMessage(program, exitStatus.bytes))
  }
  if (exitStatus.kind === 'not-started') throw new PartInterrupted('sandbox-failed', exitStatus.reason)
  if (exitStatus.kind === 'limit' && exitStatus.limit === 'time') {
    const failure = new PartFailed(`${program} took more than ${wallSeconds} seconds`, stderr)
    throw new PartInterrupted('too-slow', failure.message, { cause: failure })
  }
  throw new PartFailed(`${program} ended with ${JSON.stringify(exitStatus)}`, stderr)
}

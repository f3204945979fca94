import { CommanderError } from 'commander'
import {
  ApiError,
  AuthenticationError,
  ConflictError,
  ConnectionError,
  GoneError,
  NotFoundError,
  PermissionError,
  ProcessingError,
  WaitTimeoutError,
} from 'reelkeep'

/** Exit codes for scripts; documented in docs/guides/cli.md. */
export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  notAllowed: 3,
  notFound: 4,
  conflict: 5,
  unreachable: 6,
  /** The command worked, but its subject failed: a video was not processed (in time), or a check of `doctor` failed. */
  badOutcome: 7,
  /** Base of the exit codes after a signal; the number of the signal is added. */
  signal: 128,
  /** The command was interrupted with Ctrl-C. */
  interrupted: 130,
  /** stdout was closed; same as SIGPIPE. */
  closedPipe: 141,
} as const

/** Error of a failed command; `next` says what to do. */
export class CommandError extends Error {
  readonly exitCode: number
  readonly next: string | undefined

  constructor(message: string, exitCode: number = exitCodes.failed, next?: string) {
    super(message)
    this.exitCode = exitCode
    this.next = next
  }
}

export function exitCodeOf(error: unknown): number {
  if (error instanceof CommandError) return error.exitCode
  if (error instanceof CommanderError) return exitCodes.usage
  if (error instanceof AuthenticationError || error instanceof PermissionError) return exitCodes.notAllowed
  if (error instanceof NotFoundError || error instanceof GoneError) return exitCodes.notFound
  if (error instanceof ConflictError) return exitCodes.conflict
  if (error instanceof ProcessingError || error instanceof WaitTimeoutError) return exitCodes.badOutcome
  if (error instanceof ConnectionError) return exitCodes.unreachable
  if (error instanceof ApiError && error.status === 400) return exitCodes.usage
  return exitCodes.failed
}

import { Reelkeep, ReelkeepError } from 'reelkeep'
import { readProfile } from './profile/profile.ts'
import type { Output } from './terminal/output.ts'

/** Access of a command to its environment: variables, stdin, output and Ctrl-C. */
export type Cli = {
  readonly environment: Record<string, string | undefined>
  readonly stdin: NodeJS.ReadStream
  /** Aborted by the first Ctrl-C; the command then shuts down gracefully. */
  readonly interrupted: AbortSignal
  readonly output: () => Output
  /** Sets the exit code of a command that does not throw. */
  readonly setExitCode: (exitCode: number) => void
}

/**
 * Creates a client with the current credentials. Ctrl-C aborts its calls; for cleanup afterwards, connect without
 * `interrupted`.
 */
export async function connect({
  environment,
  interrupted,
}: Pick<Cli, 'environment'> & Partial<Pick<Cli, 'interrupted'>>): Promise<Reelkeep> {
  const profile = await readProfile(environment)
  return new Reelkeep({ ...profile, ...(interrupted && { fetch: abortableFetch(interrupted) }) })
}

/** Like `fetch`, but when the command is interrupted, throws an error that the SDK does not retry. */
const abortableFetch =
  (interrupted: AbortSignal): typeof fetch =>
  async (address, init) => {
    const signals = [interrupted, init?.signal].filter((signal) => signal instanceof AbortSignal)
    try {
      return await fetch(address, { ...init, signal: AbortSignal.any(signals) })
    } catch (error) {
      throw interrupted.aborted ? new ReelkeepError('Interrupted.') : error
    }
  }

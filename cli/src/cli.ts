import { Reelkeep, ReelkeepError } from 'reelkeep'
import { readProfile } from './profile/profile.ts'
import type { Output } from './terminal/output.ts'

/** What every command is given. */
export type Cli = {
  readonly environment: Record<string, string | undefined>
  readonly stdin: NodeJS.ReadStream
  /** Aborted by the first Ctrl-C: a command then ends in good order. */
  readonly interrupted: AbortSignal
  /** Known once the arguments have been read. */
  readonly output: () => Output
  /** What it ends with, if nothing fails: a command may do all it should and find nothing good. */
  readonly endWith: (exitCode: number) => void
}

/**
 * The client for whoever is logged in. Ctrl-C breaks its calls off; whoever has to put something in
 * order after it connects without `interrupted`.
 */
export async function connect({
  environment,
  interrupted,
}: Pick<Cli, 'environment'> & Partial<Pick<Cli, 'interrupted'>>): Promise<Reelkeep> {
  const profile = await readProfile(environment)
  return new Reelkeep({ ...profile, ...(interrupted && { fetch: breakingOff(interrupted) }) })
}

/** What it throws then is no failure of the line, which would be tried again. */
const breakingOff =
  (interrupted: AbortSignal): typeof fetch =>
  async (address, init) => {
    const signals = [interrupted, init?.signal].filter((signal) => signal instanceof AbortSignal)
    try {
      return await fetch(address, { ...init, signal: AbortSignal.any(signals) })
    } catch (error) {
      throw interrupted.aborted ? new ReelkeepError('Interrupted.') : error
    }
  }

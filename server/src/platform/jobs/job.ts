/** What a job is, as data: whoever promises one imports this and starts no engine. */
import type { QueueName } from './queues.ts'

/** Inputs are stored as text and read back, maybe by a later version of the service. */
type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json }

const PAUSE_SECONDS_MAX = 3600

export type Job<Input> = {
  /** Stored with every promise: a job that was promised under another name is never found again. */
  readonly name: string
  readonly queue: QueueName
  readonly attemptsMax: number
  /** The pause after the first failed attempt; each one after that is twice as long, up to an hour. */
  readonly firstPauseSeconds: number
  /** An attempt that takes longer has failed, and its signal is aborted. */
  readonly attemptSecondsMax: number
  /** How often an attempt may be taken up that never ends, because it kills its worker or the worker is replaced. */
  readonly takeUpsMax?: number
  /** What an input is about, by the names of the log. */
  about?(input: Input): Readonly<Record<string, string>>
  /** Never set; it carries the type of the input. */
  readonly input?: Input
}

export function defineJob<Input extends Json>(job: Job<Input>): Job<Input> {
  return job
}

/** How long to wait after the attempt of this number, the first being 1. */
export function pauseSecondsAfter(attempt: number, { firstPauseSeconds }: Job<unknown>): number {
  return Math.min(firstPauseSeconds * 2 ** (attempt - 1), PAUSE_SECONDS_MAX)
}

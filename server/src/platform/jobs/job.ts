/** Definition of a job as data: code that enqueues a job imports this file and does not start the engine. */
import { createHash } from 'node:crypto'
import type { QueueName } from '../../kernel/queues.ts'

/** Inputs of jobs are stored as JSON and may be read by a later version of the service. */
type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json }

const BACKOFF_SECONDS_MAX = 3600
/** Maximum addition to a delay, as a fraction of it. */
const JITTER_MAX = 0.2

/** Limits on the attempts at a job. */
export type RetryPolicy = {
  /** Maximum number of attempts. If all of them fail, the job has failed permanently. */
  readonly maxAttempts: number
  /** Delay after the first failed attempt; it doubles with each further one, up to an hour. */
  readonly firstBackoffSeconds: number
  /** Maximum duration of an attempt. An attempt that takes longer fails, and its signal aborts. */
  readonly attemptTimeoutSeconds: number
  /**
   * How often an unfinished attempt may be recovered, after it crashed its worker or the worker was replaced.
   * Default: 20, so that deployments do not use it up.
   */
  readonly maxRecoveries?: number
}

export type Job<Input> = {
  /** Name of the job, stored with every enqueued job. After a rename, jobs with the old name would never run. */
  readonly name: string
  readonly queue: QueueName
  readonly retry: RetryPolicy
  /** Returns log fields that identify the resource in an input, such as the asset. */
  about?(input: Input): Readonly<Record<string, string>>
  /** Never set; only declares the input type. */
  readonly input?: Input
}

export function defineJob<Input extends Json>(job: Job<Input>): Job<Input> {
  return job
}

/**
 * Delay after a failed attempt, with up to 20 % more: jobs that failed together, for example because storage was
 * unavailable, are not all repeated at the same moment. The same attempt always has the same delay.
 */
export function retryDelaySeconds(jobId: string, attempt: number, policy: RetryPolicy): number {
  const fraction = createHash('sha256').update(`${jobId}/${attempt}`).digest().readUInt32BE() / 2 ** 32
  return Math.round(10 * backoffSeconds(attempt, policy) * (1 + JITTER_MAX * fraction)) / 10
}

/** Delay after a failed attempt without jitter; `attempt` is its number, starting at 1. */
export function backoffSeconds(attempt: number, { firstBackoffSeconds }: RetryPolicy): number {
  return Math.min(firstBackoffSeconds * 2 ** (attempt - 1), BACKOFF_SECONDS_MAX)
}

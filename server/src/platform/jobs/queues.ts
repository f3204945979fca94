import type { QueueName } from '../../kernel/queues.ts'

/**
 * Limits of the queues. They are partitioned by organization: however many jobs one organization has enqueued, the
 * first job of another starts at one of the next polls.
 */
export const queues = {
  /** Short, I/O-bound work: a few statements, a few requests to storage. */
  light: {
    /** Concurrent jobs of one organization on all workers. */
    partitionConcurrency: 16,
    /** Concurrent jobs in one worker process. */
    workerConcurrency: 32,
    /** Polled every this many poll intervals of the worker. An idle poll costs Postgres about half a millisecond. */
    pollsEvery: 1,
  },
  /** Probes: a short process that reads a little from storage. */
  probe: {
    partitionConcurrency: 64,
    /** Limits one organization, so that every worker has a slot for others. */
    partitionWorkerConcurrency: 3,
    workerConcurrency: 4,
    pollsEvery: 1,
  },
  /**
   * Work that uses a whole machine for minutes or hours. A worker runs one such job at a time; a large machine runs
   * several workers.
   */
  encode: {
    partitionConcurrency: 256,
    workerConcurrency: 1,
    /** Polled often, because viewers wait for the first part of a video. */
    pollsEvery: 1,
  },
  /** Optional results that may take long: thumbnails and transcription, which may call an external service. */
  extras: {
    partitionConcurrency: 64,
    workerConcurrency: 2,
    pollsEvery: 2,
  },
} as const satisfies Record<QueueName, unknown>

/** Measured: 5 to 10 µs of Postgres time per waiting organization (docs/decisions/0012). */
const SEEK_SECONDS = 0.00001

/** Fraction of a core for the polls of one queue. */
const CORE_SHARE_MAX = 0.1

/** Longest polling interval, however expensive the polls are. */
const POLL_SECONDS_MAX = 10

/**
 * Polling interval of a queue. Every poll of every worker seeks once per organization with waiting jobs: negligible
 * for ten workers and a hundred organizations, too much for a thousand of each. So the interval follows both, and
 * the polls of all workers together stay below a fraction of a core.
 */
export function pollingSeconds(
  { workers, organizations }: { readonly workers: number; readonly organizations: number },
  secondsMin: number,
): number {
  const affordable = (workers * organizations * SEEK_SECONDS) / CORE_SHARE_MAX
  return Math.min(Math.max(secondsMin, affordable), POLL_SECONDS_MAX)
}

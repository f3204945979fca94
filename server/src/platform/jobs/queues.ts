import type { QueueName } from '../../kernel/queues.ts'

/**
 * Limits of the queues. They are partitioned by organization, so that the backlog of one organization does not delay
 * the first job of another.
 */
export const queues = {
  /** Short, I/O-bound work: a few statements, a few requests to storage. */
  light: {
    /** Concurrent jobs of one organization on all workers. */
    partitionConcurrency: 16,
    /** Concurrent jobs in one worker process. */
    workerConcurrency: 32,
    /**
     * The queue is polled once per this many poll intervals of the worker. An idle poll costs Postgres about half a
     * millisecond.
     */
    pollsEvery: 1,
  },
  /** Probes: a short process that reads a little from storage. */
  probe: {
    partitionConcurrency: 64,
    /** Concurrent jobs of one organization in one worker process, which keeps a slot for others. */
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

/** Time that a poll takes per waiting organization. Measured: 5 to 10 µs of Postgres time (docs/decisions/0012). */
const SEEK_SECONDS = 0.00001

/** Maximum fraction of a CPU core that Postgres spends on the polls of one queue. */
const CORE_SHARE_MAX = 0.1

/** Maximum polling interval, even if the polls then exceed their fraction of a core. */
const POLL_SECONDS_MAX = 10

/**
 * Polling interval of a queue. Every poll of every worker seeks once per organization with waiting jobs: negligible for
 * ten workers and a hundred organizations, too much for a thousand of each. So the interval grows with the number of
 * workers and of organizations, and the polls of all workers together use less than a fraction of a core.
 */
export function pollingSeconds(
  { workers, organizations }: { readonly workers: number; readonly organizations: number },
  secondsMin: number,
): number {
  const affordable = (workers * organizations * SEEK_SECONDS) / CORE_SHARE_MAX
  return Math.min(Math.max(secondsMin, affordable), POLL_SECONDS_MAX)
}

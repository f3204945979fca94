import type { QueueName } from '../../kernel/queues.ts'

/**
 * Limits of the queues. They are partitioned by organization: however many
 * jobs one organization has enqueued, the first job of another starts at one of the next polls.
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
    /** One organization leaves a slot in every worker to the others. */
    partitionWorkerConcurrency: 3,
    workerConcurrency: 4,
    pollsEvery: 1,
  },
  /**
   * Work that uses a whole machine for minutes or hours. A worker runs one at a time; a large machine runs several
   * workers.
   */
  encode: {
    partitionConcurrency: 256,
    workerConcurrency: 1,
    /** Viewers wait for the first part of a video. */
    pollsEvery: 1,
  },
  /** Optional results that may take long: thumbnails and transcription, which may call an external service. */
  extras: {
    partitionConcurrency: 64,
    workerConcurrency: 2,
    pollsEvery: 2,
  },
} as const satisfies Record<QueueName, unknown>

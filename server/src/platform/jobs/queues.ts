/**
 * Every queue there is. All are partitioned by organization: however much one of them has promised, the first job
 * of another is taken up at the next poll.
 */
export const queues = {
  /** Short work that waits for others: a few statements, a few requests to storage. */
  light: {
    /** At a time, of one organization, on all workers together. */
    partitionConcurrency: 16,
    /** At a time, in one worker process. */
    workerConcurrency: 32,
    /** An idle poll costs Postgres about half a millisecond. */
    minPollingIntervalMs: 250,
  },
} as const

export type QueueName = keyof typeof queues

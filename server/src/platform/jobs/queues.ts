/**
 * Every queue there is, one for each kind of resource that jobs compete for. All are partitioned by
 * organization: however much one of them has promised, the first job of another is taken up at one
 * of the next polls.
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
  /** A look into a file: a process of its own that runs for a moment and reads a little of storage. */
  probe: {
    partitionConcurrency: 64,
    /** One organization leaves a place in every worker to the others, who wait for nothing but this. */
    partitionWorkerConcurrency: 3,
    workerConcurrency: 4,
    minPollingIntervalMs: 250,
  },
  /**
   * Work that fills a machine for minutes or hours. A worker does one at a time; a large machine
   * runs several workers.
   */
  encode: {
    partitionConcurrency: 256,
    workerConcurrency: 1,
    /** The first part of a video is waited for by whoever wants to see it. */
    minPollingIntervalMs: 250,
  },
  /**
   * What a video can do without, and waits for for long: pictures of it, and words, for which
   * somebody else may be asked.
   */
  extras: {
    partitionConcurrency: 64,
    workerConcurrency: 2,
    minPollingIntervalMs: 500,
  },
} as const

export type QueueName = keyof typeof queues

export const queueNames = Object.keys(queues) as QueueName[]

import type { Superuser } from '@reelkeep/testkit'

/** Limits on how much a worker claims from a queue, and on how often it polls. */
export type QueueLimits = {
  readonly partitionConcurrency: number
  readonly partitionWorkerConcurrency: number
  readonly workerConcurrency: number
  readonly minPollingIntervalMs: number
}

/**
 * High limits, with which a worker is never idle. With the limits of the service, a worker would always run four steps
 * per poll, whatever a step costs.
 */
export const generous: QueueLimits = {
  partitionConcurrency: 256,
  partitionWorkerConcurrency: 48,
  workerConcurrency: 64,
  minPollingIntervalMs: 25,
}

/**
 * Changes the limits of a queue. Must be called after workers have started, because they overwrite the limits when they
 * start. They read them every second.
 */
export async function limitQueue(superuser: Superuser, queue: string, limits: QueueLimits): Promise<void> {
  await superuser.query(
    `update dbos.queues set partition_concurrency = $2, partition_worker_concurrency = $3,
       worker_concurrency = $4, polling_interval_sec = $5 where name = $1`,
    [
      queue,
      limits.partitionConcurrency,
      limits.partitionWorkerConcurrency,
      limits.workerConcurrency,
      limits.minPollingIntervalMs / 1000,
    ],
  )
}

import type { Superuser } from '@reelkeep/testkit'

/** Limits how much a worker claims from a queue, and how often it polls. */
export type QueueLimits = {
  readonly partitionConcurrency: number
  readonly partitionWorkerConcurrency: number
  readonly workerConcurrency: number
  readonly minPollingIntervalMs: number
}

/**
 * High enough that limits never make a worker idle: with the product's limits its rate would be four steps per poll,
 * whatever a step costs.
 */
export const generous: QueueLimits = {
  partitionConcurrency: 256,
  partitionWorkerConcurrency: 48,
  workerConcurrency: 64,
  minPollingIntervalMs: 25,
}

/** Workers write their limits when they start and read them every second, so this comes after the start. */
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

import type { WorkerConfig } from '../../platform/config/env.ts'
import type { Intervals } from '../../platform/jobs/intervals.ts'

export const workerIntervals = (config: WorkerConfig): Intervals => ({
  leaseSeconds: config.WORKER_LEASE_SECONDS,
  heartbeatSeconds: config.WORKER_HEARTBEAT_SECONDS,
  pollSeconds: config.WORKER_POLL_MILLISECONDS / 1000,
})

/** Intervals of a worker. The defaults are in config/worker-settings.ts. */
export type Intervals = {
  /** A worker without a heartbeat for this long counts as dead. */
  readonly leaseSeconds: number
  /** Pause between two heartbeats, of a worker and of each step that it runs. */
  readonly heartbeatSeconds: number
  /** Pause between two polls of a queue. */
  readonly pollSeconds: number
}

/** Pause between two checks for work without a notification: due schedules, and webhooks whose backoff has ended. */
export const checkSeconds = ({ pollSeconds }: Pick<Intervals, 'pollSeconds'>) => 4 * pollSeconds

/** Pause between two checks for claims of dead workers, in addition to the engine's own recovery. */
export const recoverySeconds = ({ heartbeatSeconds }: Pick<Intervals, 'heartbeatSeconds'>) => 2.5 * heartbeatSeconds

/**
 * Pause between two checks for jobs that the engine assigned to this worker and that it does not run. Longer than a
 * busy worker takes from the claim of a job to its start.
 */
export const lostJobCheckSeconds = ({ leaseSeconds }: Pick<Intervals, 'leaseSeconds'>) =>
  Math.min(4, Math.max(1, 0.4 * leaseSeconds))

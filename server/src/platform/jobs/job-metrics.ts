import { Counter, Gauge, type Registry } from 'prom-client'

export type JobMetrics = ReturnType<typeof openJobMetrics>

type JobOutcome = 'done' | 'failed_attempt' | 'failed'

/** `waitingSeconds` answers, for each queue, how long its oldest job that could start has been waiting. */
export function openJobMetrics(
  registry: Registry,
  waitingSeconds: () => Promise<readonly { queue: string; seconds: number }[]>,
) {
  const jobs = new Counter({
    name: 'reelkeep_jobs_total',
    help: 'Jobs done, attempts at jobs that failed, and jobs that failed for good.',
    labelNames: ['job', 'outcome'],
    registers: [registry],
  })
  const schedules = new Counter({
    name: 'reelkeep_schedule_runs_total',
    help: 'Runs of each schedule on this worker.',
    labelNames: ['schedule', 'outcome'],
    registers: [registry],
  })
  new Gauge({
    name: 'reelkeep_jobs_waiting_seconds',
    help: 'How long the oldest job that could start has been waiting, in each queue.',
    labelNames: ['queue'],
    registers: [registry],
    async collect() {
      // Metrics are still wanted while Postgres is away; only this one is then missing.
      const waits = await waitingSeconds().catch(() => [])
      this.reset()
      for (const { queue, seconds } of waits) this.set({ queue }, seconds)
    },
  })
  return {
    count: (job: string, outcome: JobOutcome) => jobs.inc({ job, outcome }),
    countRun: (schedule: string, outcome: 'done' | 'failed') =>
      schedules.inc({ schedule, outcome }),
  }
}

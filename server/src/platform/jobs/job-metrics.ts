import { Counter, Gauge, type Registry } from 'prom-client'
import { withinScrapeTimeout } from '../observability/metrics.ts'
import type { Backlog } from './engine/waiting-jobs.store.ts'

export type JobMetrics = ReturnType<typeof openJobMetrics>

const outcomes = ['done', 'failed_attempt', 'failed'] as const
const runOutcomes = ['done', 'failed'] as const

type JobOutcome = (typeof outcomes)[number]
type RunOutcome = (typeof runOutcomes)[number]

/** `backlog` returns how long the oldest job of each queue has been waiting, whichever worker serves it. */
export function openJobMetrics(registry: Registry, backlog: () => Promise<readonly Backlog[]>) {
  const jobs = new Counter({
    name: 'reelkeep_jobs_total',
    help: 'Completed jobs, failed attempts, and permanently failed jobs.',
    labelNames: ['job', 'outcome'],
    registers: [registry],
  })
  const schedules = new Counter({
    name: 'reelkeep_schedule_runs_total',
    help: 'Runs of each schedule on this worker.',
    labelNames: ['schedule', 'outcome'],
    registers: [registry],
  })
  const takes = new Gauge({
    name: 'reelkeep_worker_queues',
    help: 'Queues that this worker takes jobs from.',
    labelNames: ['queue'],
    registers: [registry],
  })
  new Gauge({
    name: 'reelkeep_jobs_waiting_seconds',
    help: 'Time that the oldest startable job has been waiting, by queue.',
    labelNames: ['queue'],
    registers: [registry],
    async collect() {
      const waits = await withinScrapeTimeout(backlog())
      this.reset()
      for (const { queue, seconds } of waits ?? []) this.set({ queue }, seconds)
    },
  })
  return {
    /** Exports 0 for a job that has not run yet: a series that starts with 1 shows no increase. */
    enter: (job: string) => {
      for (const outcome of outcomes) jobs.inc({ job, outcome }, 0)
    },
    count: (job: string, outcome: JobOutcome) => jobs.inc({ job, outcome }),
    /** Set only while jobs are taken: a worker that waits for its database serves no queue. */
    takeFrom: (queues: readonly string[]) => {
      takes.reset()
      for (const queue of queues) takes.set({ queue }, 1)
    },
    /** The same for a schedule. */
    enterSchedule: (schedule: string) => {
      for (const outcome of runOutcomes) schedules.inc({ schedule, outcome }, 0)
    },
    countRun: (schedule: string, outcome: RunOutcome) => schedules.inc({ schedule, outcome }),
  }
}

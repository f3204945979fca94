import { Counter, Gauge, type Registry } from 'prom-client'
import { queueNames } from '../../kernel/queues.ts'
import type { Database } from '../db/database.ts'
import { withinScrapeTimeout } from '../observability/metrics.ts'
import { countOpenJobs, oldestWaits } from './engine/backlog/queue-backlog.store.ts'

export type JobMetrics = ReturnType<typeof openJobMetrics>

const outcomes = ['done', 'failed_attempt', 'failed'] as const
const runOutcomes = ['done', 'failed'] as const

type JobOutcome = (typeof outcomes)[number]
type RunOutcome = (typeof runOutcomes)[number]

export function openJobMetrics(registry: Registry) {
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
  const served = new Gauge({
    name: 'reelkeep_worker_queues',
    help: 'Queues that this worker takes jobs from.',
    labelNames: ['queue'],
    registers: [registry],
  })
  return {
    /** Exports 0 for a job that has not run yet: a series that starts with 1 shows no increase. */
    addJob: (job: string) => {
      for (const outcome of outcomes) jobs.inc({ job, outcome }, 0)
    },
    count: (job: string, outcome: JobOutcome) => jobs.inc({ job, outcome }),
    /**
     * Sets the exported queues. They are set only while jobs are claimed: a worker that waits for its database serves
     * no queues.
     */
    setServedQueues: (queues: readonly string[]) => {
      served.reset()
      for (const queue of queues) served.set({ queue }, 1)
    },
    /** Like `addJob`, for a schedule. */
    addSchedule: (schedule: string) => {
      for (const outcome of runOutcomes) schedules.inc({ schedule, outcome }, 0)
    },
    countRun: (schedule: string, outcome: RunOutcome) => schedules.inc({ schedule, outcome }),
  }
}

/** Exports metrics for alerts and autoscaling. Every worker exports the same numbers, whichever queues it serves. */
export function exportQueueMetrics(registry: Registry, database: Database): void {
  gaugeByQueue(registry, {
    name: 'reelkeep_jobs_waiting_seconds',
    help: 'Time that the oldest startable job has been waiting, by queue.',
    query: () => oldestWaits(database, queueNames),
  })
  gaugeByQueue(registry, {
    name: 'reelkeep_jobs_open',
    help: 'Startable and running jobs by queue, counted up to a thousand.',
    query: () => countOpenJobs(database, queueNames),
  })
}

type QueueGauge = {
  readonly name: string
  readonly help: string
  readonly query: () => Promise<readonly { queue: string; value: number }[]>
}

/** Exports a gauge per queue. It is absent while Postgres is unavailable: 0 would make autoscaling stop workers. */
function gaugeByQueue(registry: Registry, { name, help, query }: QueueGauge): void {
  new Gauge({
    ...{ name, help, labelNames: ['queue'], registers: [registry] },
    async collect() {
      const values = await withinScrapeTimeout(query())
      this.reset()
      for (const { queue, value } of values ?? []) this.set({ queue }, value)
    },
  })
}

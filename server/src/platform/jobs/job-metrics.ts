import { Counter, Gauge, type Registry } from 'prom-client'
import { answerInTime } from '../observability/metrics.ts'
import type { Backlog } from './waiting.store.ts'

export type JobMetrics = ReturnType<typeof openJobMetrics>

const outcomes = ['done', 'failed_attempt', 'failed'] as const
const runOutcomes = ['done', 'failed'] as const

type JobOutcome = (typeof outcomes)[number]
type RunOutcome = (typeof runOutcomes)[number]

/** `backlog` tells how long each of all queues has kept somebody waiting, whoever takes from it. */
export function openJobMetrics(registry: Registry, backlog: () => Promise<readonly Backlog[]>) {
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
  const takes = new Gauge({
    name: 'reelkeep_worker_queues',
    help: 'The queues that this worker takes from.',
    labelNames: ['queue'],
    registers: [registry],
  })
  new Gauge({
    name: 'reelkeep_jobs_waiting_seconds',
    help: 'How long the oldest job that could start has been waiting, in each queue.',
    labelNames: ['queue'],
    registers: [registry],
    async collect() {
      const waits = await answerInTime(backlog())
      this.reset()
      for (const { queue, seconds } of waits ?? []) this.set({ queue }, seconds)
    },
  })
  return {
    /** Shows a job that has not been done yet as 0: of a series that begins with 1, that it grew is not seen. */
    enter: (job: string) => {
      for (const outcome of outcomes) jobs.inc({ job, outcome }, 0)
    },
    count: (job: string, outcome: JobOutcome) => jobs.inc({ job, outcome }),
    /**
     * Told from when jobs are really taken until they no longer are: a worker that waits for its
     * database is nobody's worker.
     */
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

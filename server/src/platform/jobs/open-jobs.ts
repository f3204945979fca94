import { Gauge, type Registry } from 'prom-client'
import type { Database } from '../db/database.ts'
import { answerInTime } from '../observability/metrics.ts'
import { openJobs } from './open-jobs.store.ts'
import { queueNames } from './queues.ts'

/** What workers are started by, and stopped. Every worker tells the same number. */
export function gaugeOpenJobs(registry: Registry, database: Database): void {
  new Gauge({
    name: 'reelkeep_jobs_open',
    help: 'Jobs that could start or run, in each queue, counted up to a thousand.',
    labelNames: ['queue'],
    registers: [registry],
    async collect() {
      // Absent while Postgres is away: none of them would be an answer that sends workers home.
      const counts = await answerInTime(openJobs(database, queueNames))
      this.reset()
      for (const { queue, jobs } of counts ?? []) this.set({ queue }, jobs)
    },
  })
}

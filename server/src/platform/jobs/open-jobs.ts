import { Gauge, type Registry } from 'prom-client'
import { queueNames } from '../../kernel/queues.ts'
import type { Database } from '../db/database.ts'
import { withinScrapeTimeout } from '../observability/metrics.ts'
import { openJobs } from './engine/open-jobs.store.ts'

/** For autoscaling workers. Every worker exports the same number. */
export function gaugeOpenJobs(registry: Registry, database: Database): void {
  new Gauge({
    name: 'reelkeep_jobs_open',
    help: 'Startable and running jobs by queue, counted up to a thousand.',
    labelNames: ['queue'],
    registers: [registry],
    async collect() {
      // Absent while Postgres is unavailable: 0 would make autoscaling stop workers.
      const counts = await withinScrapeTimeout(openJobs(database, queueNames))
      this.reset()
      for (const { queue, jobs } of counts ?? []) this.set({ queue }, jobs)
    },
  })
}

import { Counter, Gauge, type Registry } from 'prom-client'
import { countDamaged } from '../../modules/published-files/published-files.ts'
import type { Database } from '../../platform/db/database.ts'
import { withinScrapeTimeout } from '../../platform/observability/metrics.ts'

export type ScrubMetrics = ReturnType<typeof openScrubMetrics>

export function openScrubMetrics(registry: Registry) {
  const bytes = new Counter({
    name: 'reelkeep_scrub_bytes_total',
    help: 'Bytes of published files that were read and compared with their checksums.',
    registers: [registry],
  })
  const damaged = new Counter({
    name: 'reelkeep_scrub_damaged_files_total',
    help: 'Published files that were missing in storage or had other content.',
    registers: [registry],
  })
  return {
    countRead: (count: number) => bytes.inc(count),
    countDamaged: (files: number) => damaged.inc(files),
  }
}

/** Every worker reports the same value. */
export function gaugeDamaged(registry: Registry, database: Database): void {
  new Gauge({
    name: 'reelkeep_damaged_files',
    help: 'Published files that are damaged and not repaired yet.',
    registers: [registry],
    async collect() {
      const files = await withinScrapeTimeout(countDamaged(database))
      this.reset()
      if (files !== undefined) this.set(files)
    },
  })
}

import { Gauge, type Registry } from 'prom-client'
import type { Database } from '../../platform/db/database.ts'
import { gaugeSeconds, withinScrapeTimeout } from '../../platform/observability/metrics.ts'
import { activeSuspensions } from './active-suspensions.store.ts'

/**
 * A move suspends an organization for seconds. A longer suspension was not ended by the operator, or the move command
 * was killed. Every worker reports the same values.
 */
export function gaugeSuspensions(registry: Registry, database: Database): void {
  new Gauge({
    name: 'reelkeep_organizations_suspended',
    help: 'Organizations that are suspended (read-only) or were moved to another cell.',
    labelNames: ['state'],
    registers: [registry],
    async collect() {
      const suspensions = await withinScrapeTimeout(activeSuspensions(database))
      this.reset()
      if (!suspensions) return
      this.set({ state: 'suspended' }, suspensions.suspended)
      this.set({ state: 'migrated' }, suspensions.migrated)
    },
  })
  gaugeSeconds(registry, {
    name: 'reelkeep_organizations_suspended_seconds',
    help: 'Age of the longest current suspension of an organization.',
    query: async () => (await activeSuspensions(database)).suspendedSeconds,
  })
}

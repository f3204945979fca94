import { Gauge, type Registry } from 'prom-client'
import type { Database } from '../../platform/db/database.ts'
import { answerInTime, gaugeSeconds } from '../../platform/observability/metrics.ts'
import { standingHolds } from './standing-holds.store.ts'

/**
 * A move holds an organization for seconds. One that stays held was forgotten, or its mover has
 * died. Every worker tells the same.
 */
export function gaugeHolds(registry: Registry, database: Database): void {
  new Gauge({
    name: 'reelkeep_organizations_held',
    help: 'Organizations that are held, so that nothing of them is written, and those that are gone to another cell.',
    labelNames: ['state'],
    registers: [registry],
    async collect() {
      const holds = await answerInTime(standingHolds(database))
      this.reset()
      if (!holds) return
      this.set({ state: 'held' }, holds.held)
      this.set({ state: 'gone' }, holds.gone)
    },
  })
  gaugeSeconds(registry, {
    name: 'reelkeep_organizations_held_seconds',
    help: 'For how long the organization has been held that has been held the longest.',
    ask: async () => (await standingHolds(database)).heldSeconds,
  })
}

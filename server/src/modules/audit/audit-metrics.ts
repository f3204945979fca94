import { Counter, type Registry } from 'prom-client'
import type { Database } from '../../platform/db/database.ts'
import { gaugeSeconds } from '../../platform/observability/metrics.ts'
import { unsealedSeconds } from './audit.ts'
import type { LossReason } from './audit-writer.ts'

/** Counts entries that an API instance could not write. */
export function openAuditMetrics(registry: Registry) {
  const lost = new Counter({
    name: 'reelkeep_audit_entries_lost_total',
    help: 'Audit entries of refusals, sign-ins and reads that could not be written: the database was unavailable for long, or the organization is suspended.',
    labelNames: ['reason'],
    registers: [registry],
  })
  for (const reason of ['unavailable', 'suspended'] satisfies LossReason[]) lost.inc({ reason }, 0)
  return { countLost: (count: number, reason: LossReason) => lost.inc({ reason }, count) }
}

/** Exports the age of the oldest entry that no worker has sealed. */
export function gaugeUnsealed(registry: Registry, database: Database): void {
  gaugeSeconds(registry, {
    name: 'reelkeep_audit_unsealed_seconds',
    help: 'Age of the oldest audit entry that is not sealed.',
    query: () => unsealedSeconds(database),
  })
}

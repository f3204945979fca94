import type { Database } from '../../platform/db/database.ts'
import type { Schedule } from '../../platform/jobs/schedule.ts'
import { publishHeads, removeOldEntries, sealWaiting } from './audit.ts'

const HOUR_SECONDS = 3600

export const auditSchedules = (
  database: Database,
  { retentionDays }: { readonly retentionDays: number },
): Schedule[] => [
  {
    name: 'seal-audit-entries',
    everySeconds: 1,
    runSecondsMax: 60,
    run: ({ signal }) => sealWaiting(database, signal),
  },
  {
    name: 'publish-audit-heads',
    everySeconds: HOUR_SECONDS,
    runSecondsMax: 600,
    run: ({ signal }) => publishHeads(database, signal),
  },
  {
    name: 'remove-old-audit-entries',
    everySeconds: HOUR_SECONDS,
    runSecondsMax: 600,
    run: ({ signal }) => removeOldEntries(database, retentionDays, signal),
  },
]

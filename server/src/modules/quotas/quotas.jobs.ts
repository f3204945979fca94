import type { Database } from '../../platform/db/database.ts'
import type { Schedule } from '../../platform/jobs/schedule.ts'
import { checkQuotaLevels } from './quotas.ts'

export const quotaSchedules = (database: Database): Schedule[] => [
  {
    name: 'check-quota-levels',
    everySeconds: 10,
    runSecondsMax: 60,
    run: ({ signal }) => checkQuotaLevels(database, signal),
  },
]

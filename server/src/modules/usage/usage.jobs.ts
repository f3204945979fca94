import type { Database } from '../../platform/db/database.ts'
import type { Schedule } from '../../platform/jobs/schedule.ts'
import { mergeUsage } from './usage.ts'

export const usageSchedules = (database: Database): Schedule[] => [
  {
    name: 'merge-usage',
    everySeconds: 3600,
    runSecondsMax: 600,
    run: ({ signal }) => mergeUsage(database, signal),
  },
]

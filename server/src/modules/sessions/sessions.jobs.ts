import type { Database } from '../../platform/db/database.ts'
import type { Schedule } from '../../platform/jobs/schedule.ts'
import { deleteEndedSessions } from './sessions.ts'

export const sessionSchedules = (database: Database): Schedule[] => [
  {
    name: 'delete-ended-sessions',
    everySeconds: 3600,
    runSecondsMax: 600,
    run: ({ signal }) => deleteEndedSessions(database, signal),
  },
]

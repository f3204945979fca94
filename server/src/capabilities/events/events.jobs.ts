import type { Database } from '../../platform/db/database.ts'
import type { Schedule } from '../../platform/jobs/schedule.ts'
import { keepEventWeeks, type OnNumbered, settleForgotten } from './events.ts'

const HOUR_SECONDS = 3600
const RUN_SECONDS_MAX = 60

export const eventSchedules = (
  database: Database,
  { keptDays, onNumbered }: { readonly keptDays: number; readonly onNumbered: OnNumbered },
): Schedule[] => [
  {
    // Whoever wrote an event sees to its number; this is for those who were killed before they could.
    name: 'number-forgotten-events',
    everySeconds: 1,
    runSecondsMax: RUN_SECONDS_MAX,
    run: ({ signal }) => settleForgotten(database, onNumbered, signal),
  },
  {
    name: 'keep-event-weeks',
    everySeconds: HOUR_SECONDS,
    runSecondsMax: RUN_SECONDS_MAX,
    run: () => keepEventWeeks(database, keptDays),
  },
]

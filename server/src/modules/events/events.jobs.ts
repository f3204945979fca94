import type { Database } from '../../platform/db/database.ts'
import type { Schedule } from '../../platform/jobs/schedule.ts'
import { maintainEventPartitions, type OnSequenced, sequenceMissed } from './events.ts'

const HOUR_SECONDS = 3600
const RUN_SECONDS_MAX = 60

export const eventSchedules = (
  database: Database,
  { retentionDays, onSequenced }: { readonly retentionDays: number; readonly onSequenced: OnSequenced },
): Schedule[] => [
  {
    // The process that writes an event also sequences it. This job handles events of processes that were killed first.
    name: 'sequence-missed-events',
    everySeconds: 1,
    runSecondsMax: RUN_SECONDS_MAX,
    run: ({ signal }) => sequenceMissed(database, onSequenced, signal),
  },
  {
    name: 'maintain-event-partitions',
    everySeconds: HOUR_SECONDS,
    runSecondsMax: RUN_SECONDS_MAX,
    run: () => maintainEventPartitions(database, retentionDays),
  },
]

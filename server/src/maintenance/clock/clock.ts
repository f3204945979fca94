/**
 * Follows the database's clock. Upload sessions, webhooks and repairs of files store when they are due. If the clock is
 * set back, for example because a standby with another clock was promoted, they would wait until the clock reaches that
 * time again. Making them due once is simpler than a clock of our own that never goes back: the times in these rows are
 * compared with others that clients see.
 */
import type { Database } from '../../platform/db/database.ts'
import type { Schedule } from '../../platform/jobs/schedule.ts'
import { makeLateRowsDue } from './clock.store.ts'

const ROWS_PER_STATEMENT = 2000
/** Statements per run; the next run continues. */
const STATEMENTS_MAX = 500

export const clockSchedules = (database: Database): Schedule[] => [
  {
    name: 'follow-clock',
    everySeconds: 5,
    runSecondsMax: 300,
    run: async ({ signal, logger }) => {
      let rows = 0
      for (let statement = 0; statement < STATEMENTS_MAX && !signal.aborted; statement++) {
        const madeDue = await makeLateRowsDue(database, ROWS_PER_STATEMENT)
        rows += madeDue.rows
        if (!madeDue.hasMore) break
      }
      if (rows > 0) logger.warn({ rows }, 'the clock of the database was set back; rows were made due')
    },
  },
]

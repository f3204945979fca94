/** Schedules of the job platform itself. */
import { DBOS } from '@dbos-inc/dbos-sdk'
import type { Database } from '../db/database.ts'
import { selectForgettable } from './engine/finished-jobs.store.ts'
import type { Intervals } from './intervals.ts'
import { forgetOldLeases, returnJobsOfTheDead } from './leases.store.ts'
import { adaptPolling } from './polling.ts'
import type { Schedule } from './schedule.ts'

const DELETED_PER_STATEMENT_MAX = 500
const STATEMENTS_PER_RUN_MAX = 100

export function housekeeping(
  database: Database,
  workerId: string,
  { heartbeatSeconds, pollSeconds }: Intervals,
): readonly Schedule[] {
  return [
    {
      name: 'recover-jobs',
      everySeconds: heartbeatSeconds,
      runSecondsMax: 30,
      run: async ({ logger }) => {
        for (const { id, worker } of await returnJobsOfTheDead(database, workerId)) {
          logger.warn({ job_id: id, worker }, 'worker lease expired; job released')
        }
      },
    },
    {
      name: 'adjust-polling',
      everySeconds: 10,
      runSecondsMax: 30,
      run: () => adaptPolling(database, pollSeconds),
    },
    {
      name: 'delete-finished-jobs',
      everySeconds: 60,
      runSecondsMax: 600,
      run: async ({ signal }) => {
        await forgetOldLeases(database)
        await forgetFinishedJobs(database, signal)
      },
    },
  ]
}

/** Repeats until nothing is left: deleting an attempt makes the one before it deletable. */
async function forgetFinishedJobs(database: Database, signal: AbortSignal): Promise<void> {
  for (let statement = 0; statement < STATEMENTS_PER_RUN_MAX && !signal.aborted; statement++) {
    const ids = await selectForgettable(database, DELETED_PER_STATEMENT_MAX)
    if (ids.length === 0) return
    await DBOS.deleteWorkflows(ids)
  }
}

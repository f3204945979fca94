/** The schedules that the platform itself needs. */
import { DBOS } from '@dbos-inc/dbos-sdk'
import type { Database } from '../db/database.ts'
import { selectForgettable } from './finished-jobs.store.ts'
import { forgetOldLeases, returnJobsOfTheDead } from './leases.store.ts'
import { adaptPolling } from './polling.ts'
import type { Schedule } from './schedule.ts'

const DELETED_PER_STATEMENT_MAX = 500
const STATEMENTS_PER_RUN_MAX = 100

export function housekeeping(database: Database, workerId: string): readonly Schedule[] {
  return [
    {
      name: 'give-back-jobs',
      everySeconds: 2,
      runSecondsMax: 30,
      run: async ({ logger }) => {
        for (const { id, worker } of await returnJobsOfTheDead(database, workerId)) {
          logger.warn({ job_id: id, worker }, 'a worker fell silent; its job is given back')
        }
      },
    },
    {
      name: 'adapt-polling',
      everySeconds: 10,
      runSecondsMax: 30,
      run: () => adaptPolling(database),
    },
    {
      name: 'forget-finished-jobs',
      everySeconds: 60,
      runSecondsMax: 600,
      run: async ({ signal }) => {
        await forgetOldLeases(database)
        await forgetFinishedJobs(database, signal)
      },
    },
  ]
}

/** Goes on until nothing is left: with each attempt that goes, the one before may go. */
async function forgetFinishedJobs(database: Database, signal: AbortSignal): Promise<void> {
  for (let statement = 0; statement < STATEMENTS_PER_RUN_MAX && !signal.aborted; statement++) {
    const ids = await selectForgettable(database, DELETED_PER_STATEMENT_MAX)
    if (ids.length === 0) return
    await DBOS.deleteWorkflows(ids)
  }
}

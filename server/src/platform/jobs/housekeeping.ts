/** The schedules that the platform itself needs. */
import { DBOS } from '@dbos-inc/dbos-sdk'
import type { Database } from '../db/database.ts'
import { forgetOldLeases, returnJobsOfTheDead } from './leases.store.ts'
import type { Schedule } from './schedule.ts'

/** Finished jobs are kept this long, for who asks what happened; an id may be promised again after it. */
const KEPT_DAYS = 7
const DELETED_PER_STATEMENT_MAX = 500
const STATEMENTS_PER_RUN_MAX = 100

export function housekeeping(database: Database, workerId: string): readonly Schedule[] {
  return [
    {
      name: 'jobs of dead workers',
      everySeconds: 2,
      runSecondsMax: 30,
      run: async ({ logger }) => {
        for (const { id, worker } of await returnJobsOfTheDead(database, workerId)) {
          logger.warn({ job_id: id, worker }, 'a worker fell silent; its job is given back')
        }
      },
    },
    {
      name: 'finished jobs',
      everySeconds: 60,
      runSecondsMax: 600,
      run: async ({ signal }) => {
        await forgetOldLeases(database)
        await deleteFinishedJobs(signal)
      },
    },
  ]
}

async function deleteFinishedJobs(signal: AbortSignal): Promise<void> {
  const completedBefore = new Date(Date.now() - KEPT_DAYS * 86_400_000).toISOString()
  for (let statement = 0; statement < STATEMENTS_PER_RUN_MAX && !signal.aborted; statement++) {
    const finished = await DBOS.listWorkflows({
      completedBefore,
      limit: DELETED_PER_STATEMENT_MAX,
      loadInput: false,
      loadOutput: false,
    })
    if (finished.length > 0)
      await DBOS.deleteWorkflows(finished.map(({ workflowID }) => workflowID))
    if (finished.length < DELETED_PER_STATEMENT_MAX) return
  }
}

/** Schedules of the job platform itself. */
import { queueNames } from '../../kernel/queues.ts'
import type { Database } from '../db/database.ts'
import { releaseJobsOfDeadWorkers } from './engine/claimed-jobs.store.ts'
import { setPollingInterval } from './engine/engine.ts'
import { deleteFinishedJobs } from './engine/finished-jobs.ts'
import { countWaitingOrganizations } from './engine/queue-backlog.store.ts'
import type { Intervals } from './intervals.ts'
import { deleteOldLeases, listWorkers } from './leases.store.ts'
import { pollingSeconds, queues } from './queues.ts'
import type { Schedule } from './schedule.ts'

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
        for (const { id, worker } of await releaseJobsOfDeadWorkers(database, workerId)) {
          logger.warn({ job_id: id, worker }, 'worker lease expired; job released')
        }
      },
    },
    {
      name: 'adjust-polling',
      everySeconds: 10,
      runSecondsMax: 30,
      run: () => adjustPolling(database, pollSeconds),
    },
    {
      name: 'delete-finished-jobs',
      everySeconds: 60,
      runSecondsMax: 600,
      run: async ({ signal }) => {
        await deleteOldLeases(database)
        await deleteFinishedJobs(database, signal)
      },
    },
  ]
}

/** Adjusts the polling intervals of the queues to the load; `pollSeconds` is the minimum. */
async function adjustPolling(database: Database, pollSeconds: number): Promise<void> {
  const workers = (await listWorkers(database)).length
  for (const name of queueNames) {
    const organizations = await countWaitingOrganizations(database, name)
    const secondsMin = queues[name].pollsEvery * pollSeconds
    await setPollingInterval(name, pollingSeconds({ workers, organizations }, secondsMin))
  }
}

/** Schedules of the job platform itself. */
import { queueNames } from '../../kernel/queues.ts'
import type { Database } from '../db/database.ts'
import { countWaitingOrganizations } from './engine/backlog/queue-backlog.store.ts'
import { releaseJobsOfDeadWorkers } from './engine/claimed-jobs.store.ts'
import { setPollingIntervals } from './engine/engine.ts'
import { deleteFinishedJobs } from './engine/finished-jobs.ts'
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
  const waiting = new Map(
    (await countWaitingOrganizations(database, queueNames)).map(({ queue, value }) => [queue, value]),
  )
  await setPollingIntervals((name) => {
    const organizations = waiting.get(name) ?? 0
    return pollingSeconds({ workers, organizations }, queues[name].pollsEvery * pollSeconds)
  })
}

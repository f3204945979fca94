/**
 * How often workers look for jobs. Every poll walks the organizations that have jobs waiting, one
 * index seek each, in every worker: what is nothing for ten workers and a hundred organizations
 * would fill Postgres with a thousand of each. So the interval follows both, and the polls of all
 * workers together stay below a share of a core.
 */
import { DBOS } from '@dbos-inc/dbos-sdk'
import type { Database } from '../db/database.ts'
import { countWaitingOrganizations, countWorkers } from './polling.store.ts'
import { queueNames, queues } from './queues.ts'

/** Measured: 5 to 10 µs of Postgres for each organization that waits (docs/decisions/0012). */
const SEEK_SECONDS = 0.00001

/** What the polls of one queue may take of a core. */
const CORE_SHARE_MAX = 0.1

/** Longer than this nobody waits for a poll, whatever it costs. */
const POLL_SECONDS_MAX = 10

export function pollingSeconds(
  { workers, organizations }: { readonly workers: number; readonly organizations: number },
  secondsMin: number,
): number {
  const affordable = (workers * organizations * SEEK_SECONDS) / CORE_SHARE_MAX
  return Math.min(Math.max(secondsMin, affordable), POLL_SECONDS_MAX)
}

/** Sets the interval of every queue; workers read it every second. */
export async function adaptPolling(database: Database): Promise<void> {
  const workers = await countWorkers(database)
  for (const name of queueNames) {
    const organizations = await countWaitingOrganizations(database, name)
    const seconds = pollingSeconds(
      { workers, organizations },
      queues[name].minPollingIntervalMs / 1000,
    )
    const queue = await DBOS.retrieveQueue(name)
    if (queue) await queue.setMinPollingIntervalMs(Math.round(seconds * 1000))
  }
}

/**
 * Adapts how often workers poll for jobs. Every poll of every worker seeks once per organization with waiting jobs:
 * negligible for ten workers and a hundred organizations, too much for a thousand of each. So the interval follows
 * both, and the polls of all workers together stay below a fraction of a core.
 */
import { DBOS } from '@dbos-inc/dbos-sdk'
import { queueNames } from '../../kernel/queues.ts'
import type { Database } from '../db/database.ts'
import { countWaitingOrganizations, countWorkers } from './engine/polling.store.ts'
import { queues } from './queues.ts'

/** Measured: 5 to 10 µs of Postgres time per waiting organization (docs/decisions/0012). */
const SEEK_SECONDS = 0.00001

/** Fraction of a core for the polls of one queue. */
const CORE_SHARE_MAX = 0.1

/** Longest polling interval, whatever it costs. */
const POLL_SECONDS_MAX = 10

export function pollingSeconds(
  { workers, organizations }: { readonly workers: number; readonly organizations: number },
  secondsMin: number,
): number {
  const affordable = (workers * organizations * SEEK_SECONDS) / CORE_SHARE_MAX
  return Math.min(Math.max(secondsMin, affordable), POLL_SECONDS_MAX)
}

/** Sets the interval of every queue; workers read it every second. `pollSeconds` is the minimum. */
export async function adaptPolling(database: Database, pollSeconds: number): Promise<void> {
  const workers = await countWorkers(database)
  for (const name of queueNames) {
    const organizations = await countWaitingOrganizations(database, name)
    const seconds = pollingSeconds(
      { workers, organizations },
      queues[name].pollsEvery * pollSeconds,
    )
    const queue = await DBOS.retrieveQueue(name)
    if (queue) await queue.setMinPollingIntervalMs(Math.round(seconds * 1000))
  }
}

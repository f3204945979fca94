/**
 * Jobs of an organization that is moved to another cell's database. What the engine keeps of one,
 * and what becomes of it:
 *
 * - Promised, delayed, laid aside or under way: carried, under its id, with its delay and with what was noted of it.
 * - Failed for good: carried, for who has it repeated there (failed-jobs.ts).
 * - An attempt before one of these: carried, for as long as the one after it is kept.
 * - Done, and what it did was to free objects: promised there once more, because a copy may have
 *   been made before it was done.
 * - Done otherwise, or cancelled: not carried. Its row tells only what happened, and keeps its id
 *   from being promised a second time; jobs bear that.
 *
 * Queues, schedules, leases and versions are each cell's own, and we use nothing else of the engine.
 */
import type { OrganizationId } from '../../kernel/ids.ts'
import type { Database } from '../db/database.ts'
import * as store from './moving-jobs.store.ts'

/** Read and written at a time, and how often it is deleted. */
const BATCH = 1000
const BATCHES_MAX = 10_000

/**
 * Copies the jobs of an organization that matter where it goes; answers how many. May be repeated: the last copy
 * counts. It is held in both databases meanwhile.
 */
export async function carryJobs(from: Database, to: Database, move: store.Move): Promise<number> {
  let carried = 0
  await store.eachCarriedJobs(from, move, BATCH, async (jobs) => {
    await store.replaceJobs(to, move.ofId, jobs)
    carried += jobs.length
  })
  return carried
}

/** Takes back every promise to the organization, and every failure of one; answers how many there were. */
export const cancelJobs = (database: Database, organizationId: OrganizationId): Promise<number> =>
  store.cancelOpenJobs(database, organizationId)

/** Deletes all that the engine knows of the organization. */
export async function forgetJobs(
  database: Database,
  organizationId: OrganizationId,
): Promise<void> {
  for (let batch = 0; batch < BATCHES_MAX; batch++) {
    if ((await store.deleteSomeJobs(database, organizationId, BATCH)) < BATCH) return
  }
}

/**
 * Migrates the jobs of an organization to another cell's database:
 *
 * - Enqueued, delayed or running: copied under its id, with its delay and its recorded steps.
 * - Failed permanently: copied, so that it can be retried there (finished-jobs.ts).
 * - An attempt before one of these: copied, and kept as long as the one after it.
 * - Completed, and it deleted objects: enqueued again there, because objects may have been copied before it deleted
 *   them.
 * - Completed otherwise, or cancelled: not copied. Its row is only a record that reserves its id, and jobs may run
 *   twice.
 *
 * Queues, schedules, leases and versions belong to each cell, and we use nothing else of the engine.
 */
import type { OrganizationId } from '../../../kernel/ids.ts'
import type { Database } from '../../db/database.ts'
import * as store from './migrating-jobs.store.ts'

/** Number of jobs per batch, and maximum number of batches when deleting. */
const BATCH = 1000
const BATCHES_MAX = 10_000

/**
 * Copies the organization's jobs that are needed in the target cell. Returns their number. If it is repeated, the last
 * copy replaces earlier ones. The organization is suspended in both databases.
 */
export async function copyJobs(from: Database, to: Database, move: store.Move): Promise<number> {
  let copied = 0
  await store.eachCopiedJobs(from, { ...move, limit: BATCH }, async (jobs) => {
    await store.replaceJobs(to, move.organizationId, jobs)
    copied += jobs.length
  })
  return copied
}

/** Cancels all open and failed jobs of the organization. Returns their number. */
export const cancelJobs = (database: Database, organizationId: OrganizationId): Promise<number> =>
  store.cancelOpenJobs(database, organizationId)

/**
 * Deletes everything that the engine has stored for the organization, except attempts that are running. Returns whether
 * nothing is left.
 */
export async function deleteEndedJobs(database: Database, organizationId: OrganizationId): Promise<boolean> {
  for (let batch = 0; batch < BATCHES_MAX; batch++) {
    if ((await store.deleteSomeEndedJobs(database, organizationId, BATCH)) < BATCH) break
  }
  return !(await store.hasJobs(database, organizationId))
}

/** Deletes everything that the engine has stored for the organization. */
export async function deleteJobs(database: Database, organizationId: OrganizationId): Promise<void> {
  for (let batch = 0; batch < BATCHES_MAX; batch++) {
    if ((await store.deleteSomeJobs(database, organizationId, BATCH)) < BATCH) return
  }
}

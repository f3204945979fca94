/** Jobs of an organization that is moved to another cell's database. */
import type { OrganizationId } from '../../kernel/ids.ts'
import type { Timestamp } from '../../kernel/time.ts'
import type { Database } from '../db/database.ts'
import * as store from './moving-jobs.store.ts'

/** Read and written at a time, and how often it is deleted. */
const BATCH = 1000
const BATCHES_MAX = 10_000

/**
 * Copies all jobs of an organization that are promised and not done, under their ids; answers how many. May be repeated: the last copy
 * counts. It is held in both databases meanwhile, in the first since then.
 */
export async function carryJobs(
  from: Database,
  to: Database,
  organizationId: OrganizationId,
  heldSince: Timestamp,
): Promise<number> {
  let carried = 0
  const stretch = { ofId: organizationId, heldSince, limit: BATCH }
  await store.eachOpenJobs(from, stretch, async (jobs) => {
    await store.replaceJobs(to, organizationId, jobs)
    carried += jobs.length
  })
  return carried
}

/** Takes back every promise to the organization; answers how many there were. */
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

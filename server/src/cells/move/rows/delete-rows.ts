import type { OrganizationId } from '../../../kernel/ids.ts'
import type { SuspensionReason } from '../../../modules/suspension/suspension.ts'
import type { Database } from '../../../platform/db/database.ts'
import { deleteJobs } from '../../../platform/jobs/engine/migrating-jobs.ts'
import { MoveRefused } from '../move-refused.ts'
import { stateIn } from '../open-cell.ts'
import { deleteSomeRows, selectRowTables } from './moved-tables.store.ts'

/** Rows per batch; small, so that a batch does not block other sessions for long. */
const BATCH = 5000
const BATCHES_MAX = 1_000_000

/**
 * Deletes all rows of an organization that this cell does not host. The organization must be suspended for the given
 * reason throughout; otherwise an error is thrown and nothing more is deleted.
 */
export async function deleteRows(
  database: Database,
  id: OrganizationId,
  why: Extract<SuspensionReason, 'arriving' | 'gone'>,
): Promise<number> {
  let total = 0
  if ((await stateIn({ database }, id)).why !== why) throw notSuspended(id)
  await deleteJobs(database, id)
  for (const table of await selectRowTables(database)) {
    for (let batch = 0; batch < BATCHES_MAX; batch++) {
      const deleted = await deleteSomeRows(database, { id, why, table, limit: BATCH })
      if (deleted === undefined) throw notSuspended(id)
      total += deleted
      if (deleted < BATCH) break
    }
  }
  return total
}

const notSuspended = (id: OrganizationId) =>
  new MoveRefused(
    `The rows of ${id} are not deleted: the organization is not suspended as expected and may be in service.`,
  )

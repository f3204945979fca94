import type { OrganizationId } from '../../kernel/ids.ts'
import { markMigratedAway, resumeOrganization } from '../../modules/suspension/suspension.ts'
import { type CellName, type Directory, moveOf } from '../directory.rules.ts'
import { readDirectory } from '../directory.ts'
import { placement, requireCell } from '../placement.ts'
import { MoveLock } from './move-lock.store.ts'
import { MoveRefused } from './move-refused.ts'
import { type OpenCell, openCell } from './open-cell.ts'
import { selectPresence } from './organization-state.store.ts'
import { assertApart } from './readiness/assert-apart.ts'
import { forgetRows } from './rows/forget-rows.ts'

/** Storage deletes in batches; very many objects take several calls. */
const FREEING_ROUNDS_MAX = 10_000

type Bucket = { readonly free: (prefix: string) => Promise<boolean> }

/**
 * Deletes what an organization left in a cell after its migration: rows, jobs and objects. Returns the number of
 * rows.
 */
export async function forgetOrganization(
  directoryFile: string,
  organizationId: OrganizationId,
  cell: CellName,
): Promise<number> {
  const directory = readDirectory(directoryFile)
  const { name: home } = placement(directory, organizationId)
  if (home === cell) throw new MoveRefused(`${organizationId} is hosted by cell ${cell}.`)
  await using left = openCell(requireCell(directory, cell))
  await using here = openCell(requireCell(directory, home))
  const databases = [left, here].map(({ placement }) => placement.cell.database)
  await using lock = await MoveLock.take(databases, organizationId)
  if (!lock)
    throw new MoveRefused(`${organizationId} is being moved or deleted by another process.`)
  await assertForgettable(readDirectory(directoryFile), organizationId, { left, here })
  await assertApart(left, here)
  // The suspension is removed last: if this is killed before, the next run finds that it has left, and continues.
  await markMigratedAway(left.database, organizationId)
  await freeAll(left.buckets.media, `${organizationId}/`, lock)
  await freeAll(left.buckets.uploads, `${organizationId}/`, lock)
  await lock.assertOurs()
  const rows = await forgetRows(left.database, organizationId, 'gone')
  await resumeOrganization(left.database, organizationId, 'gone')
  return rows
}

type Ends = { readonly left: OpenCell; readonly here: OpenCell }

/**
 * An organization suspended by the operator in a cell that does not host it was restored with a backup from before
 * its migration.
 */
async function assertForgettable(
  directory: Directory,
  id: OrganizationId,
  { left, here }: Ends,
): Promise<void> {
  if (placement(directory, id).name !== here.name)
    throw new MoveRefused(`${id} has been moved since; nothing is deleted.`)
  if (moveOf(directory, id)) {
    throw new MoveRefused(
      `The move of ${id} is not complete: files may still arrive in cell ${left.name}. Run move-organization to the end first.`,
    )
  }
  const { why } = await selectPresence(left.database, id)
  if (why !== 'gone' && why !== 'operator')
    throw new MoveRefused(`${id} has not left cell ${left.name}; nothing is deleted.`)
  const served = await selectPresence(here.database, id)
  if (!served.isHere || served.why !== null)
    throw new MoveRefused(`Cell ${here.name} does not serve ${id}; nothing is deleted.`)
}

async function freeAll(bucket: Bucket, prefix: string, lock: MoveLock): Promise<void> {
  for (let round = 0; round < FREEING_ROUNDS_MAX; round++) {
    await lock.assertOurs()
    if (await bucket.free(prefix)) return
  }
  throw new MoveRefused(`Not all objects under ${prefix} are deleted yet. Run this again.`)
}

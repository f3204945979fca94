import type { OrganizationId } from '../../kernel/ids.ts'
import { markMigratedAway, resumeOrganization } from '../../modules/suspension/suspension.ts'
import { type CellName, type Directory, moveOf } from '../directory.rules.ts'
import { readDirectory } from '../directory.ts'
import { placement, requireCell } from '../placement.ts'
import { recordMoveCommand } from './move-audit.ts'
import { MoveLock } from './move-lock.store.ts'
import { MoveRefused } from './move-refused.ts'
import { type OpenCell, openCell, stateIn } from './open-cell.ts'
import { assertSeparateBuckets } from './readiness/separate-buckets.ts'
import { deleteRows } from './rows/delete-rows.ts'

/** Maximum number of calls that delete the objects under a prefix; each call deletes a batch. */
const DELETION_ROUNDS_MAX = 10_000

type Bucket = { readonly deleteAll: (prefix: string) => Promise<boolean> }

/**
 * Deletes what an organization left in a cell after its migration: rows, jobs and objects. Returns the number of rows.
 */
export async function deleteMovedOrganization(
  directoryFile: string,
  organizationId: OrganizationId,
  cell: CellName,
): Promise<number> {
  const directory = readDirectory(directoryFile)
  const { name: home } = placement(directory, organizationId)
  if (home === cell) throw new MoveRefused(`${organizationId} is hosted by cell ${cell}.`)
  await using oldCell = openCell(requireCell(directory, cell))
  await using currentCell = openCell(requireCell(directory, home))
  const databases = [oldCell, currentCell].map(({ placement }) => placement.cell.database)
  await using lock = await MoveLock.acquire(databases, organizationId)
  if (!lock) throw new MoveRefused(`${organizationId} is being moved or deleted by another process.`)
  await assertDeletable(readDirectory(directoryFile), organizationId, { oldCell, currentCell })
  await assertSeparateBuckets(oldCell, currentCell)
  await recordMoveCommand(currentCell, organizationId, 'delete-moved-organization')
  // The suspension is removed last: if this process is killed before, the next run still finds that the organization
  // has left the cell, and continues.
  await markMigratedAway(oldCell.database, organizationId)
  await deleteAllObjects(oldCell.buckets.media, `${organizationId}/`, lock)
  await deleteAllObjects(oldCell.buckets.uploads, `${organizationId}/`, lock)
  await lock.assertHeld()
  const rows = await deleteRows(oldCell.database, organizationId, 'gone')
  await resumeOrganization(oldCell.database, organizationId, 'gone')
  return rows
}

type Cells = { readonly oldCell: OpenCell; readonly currentCell: OpenCell }

/**
 * Throws unless the organization's data in the old cell may be deleted: the organization must have left that cell, or
 * the operator must have suspended it there after restoring a backup older than the migration.
 */
async function assertDeletable(
  directory: Directory,
  id: OrganizationId,
  { oldCell, currentCell }: Cells,
): Promise<void> {
  if (placement(directory, id).name !== currentCell.name)
    throw new MoveRefused(`${id} has been moved since; nothing is deleted.`)
  if (moveOf(directory, id)) {
    throw new MoveRefused(
      `The move of ${id} is not complete: files may still arrive in cell ${oldCell.name}. Run move-organization to the end first.`,
    )
  }
  const { why } = await stateIn(oldCell, id)
  if (why !== 'gone' && why !== 'operator')
    throw new MoveRefused(`${id} has not left cell ${oldCell.name}; nothing is deleted.`)
  const current = await stateIn(currentCell, id)
  if (!current.exists || current.why !== null)
    throw new MoveRefused(`Cell ${currentCell.name} does not serve ${id}; nothing is deleted.`)
}

async function deleteAllObjects(bucket: Bucket, prefix: string, lock: MoveLock): Promise<void> {
  for (let round = 0; round < DELETION_ROUNDS_MAX; round++) {
    await lock.assertHeld()
    if (await bucket.deleteAll(prefix)) return
  }
  throw new MoveRefused(`Not all objects under ${prefix} are deleted yet. Run the command again.`)
}

import { markGone, releaseOrganization } from '../../capabilities/holds/holds.ts'
import type { OrganizationId } from '../../kernel/ids.ts'
import { type CellName, type Directory, moveOf } from '../directory.rules.ts'
import { readDirectory } from '../directory.ts'
import { placement, requireCell } from '../placement.ts'
import { MoveLock } from './move-lock.store.ts'
import { MoveRefused } from './move-refused.ts'
import { type OpenCell, openCell } from './open-cell.ts'
import { assertApart } from './readiness/assert-apart.ts'
import { forgetRows } from './rows/forget-rows.ts'
import { selectPresence } from './standing.store.ts'

/** Storage deletes so many at a time; of very many it takes several calls. */
const FREEING_ROUNDS_MAX = 10_000

type Bucket = { readonly free: (prefix: string) => Promise<boolean> }

/** Deletes what an organization left in a cell when it moved: rows, jobs and objects. Answers how many rows. */
export async function forgetOrganization(
  directoryFile: string,
  organizationId: OrganizationId,
  cell: CellName,
): Promise<number> {
  const directory = readDirectory(directoryFile)
  const { name: home } = placement(directory, organizationId)
  if (home === cell) throw new MoveRefused(`${organizationId} lives in cell ${cell}.`)
  await using left = openCell(requireCell(directory, cell))
  await using here = openCell(requireCell(directory, home))
  const databases = [left, here].map(({ placement }) => placement.cell.database)
  await using lock = await MoveLock.take(databases, organizationId)
  if (!lock) throw new MoveRefused(`Somebody is moving ${organizationId}, or forgets it.`)
  await assertForgettable(readDirectory(directoryFile), organizationId, { left, here })
  await assertApart(left, here)
  // The hold goes last: whoever is killed before finds that it has left, and goes on.
  await markGone(left.database, organizationId)
  await freeAll(left.buckets.media, `${organizationId}/`, lock)
  await freeAll(left.buckets.uploads, `${organizationId}/`, lock)
  await lock.assertOurs()
  const rows = await forgetRows(left.database, organizationId, 'gone')
  await releaseOrganization(left.database, organizationId, 'gone')
  return rows
}

type Ends = { readonly left: OpenCell; readonly here: OpenCell }

/**
 * One that the operator holds where the directory says that it does not live came back with a
 * backup that is older than its move.
 */
async function assertForgettable(
  directory: Directory,
  id: OrganizationId,
  { left, here }: Ends,
): Promise<void> {
  if (placement(directory, id).name !== here.name)
    throw new MoveRefused(`${id} has been moved meanwhile; nothing is deleted.`)
  if (moveOf(directory, id)) {
    throw new MoveRefused(
      `The move of ${id} is not over: files may still arrive in cell ${left.name}. Run move-organization to the end first.`,
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
  throw new MoveRefused(`There are more objects under ${prefix} than were deleted. Run this again.`)
}

import type { OrganizationId } from '../../kernel/ids.ts'
import { resumeOrganization } from '../../modules/suspension/suspension.ts'
import { type Directory, type MoveEntry, moveOf } from '../directory.rules.ts'
import { readDirectory, writeMove } from '../directory.ts'
import { placement, requireCell } from '../placement.ts'
import { recordMoveCommand } from './move-audit.ts'
import { MoveLock } from './move-lock.store.ts'
import { MoveRefused } from './move-refused.ts'
import { openCell, stateIn } from './open-cell.ts'
import { assertNotArrived } from './readiness/assert-ready.ts'
import { deleteRows } from './rows/delete-rows.ts'
import { stopReplication } from './rows/rows.ts'

/**
 * Cancels a migration whose data has not completely arrived: the organization stays in its cell, and only objects are
 * left at the destination.
 */
export async function cancelMove(directoryFile: string, organizationId: OrganizationId): Promise<MoveEntry> {
  const directory = readDirectory(directoryFile)
  const entry = findCancellableMove(directory, organizationId)
  await using source = openCell(requireCell(directory, entry.from))
  await using destination = openCell(requireCell(directory, entry.to))
  const databases = [source, destination].map((cell) => cell.placement.cell.database)
  await using lock = await MoveLock.acquire(databases, organizationId)
  if (!lock) throw new MoveRefused(`${organizationId} is being moved by another process; stop that first.`)
  // Reads the cells file again, because the previous holder of the lock may have completed the migration.
  const { from, to } = findCancellableMove(readDirectory(directoryFile), organizationId)
  if (from !== source.name || to !== destination.name)
    throw new MoveRefused(`Another move of ${organizationId} has started since.`)
  await assertNotArrived(source, destination, organizationId)
  await stopReplication(source.database, destination.database, organizationId)
  await resumeOrganization(source.database, organizationId, 'leaving')
  if ((await stateIn(destination, organizationId)).why === 'arriving') {
    await deleteRows(destination.database, organizationId, 'arriving')
    await resumeOrganization(destination.database, organizationId, 'arriving')
  }
  await lock.assertHeld()
  await recordMoveCommand(source, organizationId, 'cancel-move')
  await writeMove(directoryFile, organizationId, undefined)
  return entry
}

function findCancellableMove(directory: Directory, organizationId: OrganizationId): MoveEntry {
  const entry = moveOf(directory, organizationId)
  if (!entry) throw new MoveRefused(`${organizationId} is not being moved.`)
  const hasArrived = entry.stage === 'arrived' || placement(directory, organizationId).name === entry.to
  if (hasArrived) {
    throw new MoveRefused(
      `${organizationId} has arrived in cell ${entry.to}. Run move-organization again to complete the move; then it can be moved back.`,
    )
  }
  return entry
}

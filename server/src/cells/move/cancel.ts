import type { OrganizationId } from '../../kernel/ids.ts'
import { resumeOrganization } from '../../modules/suspension/suspension.ts'
import { type Directory, moveOf, type UnderWay } from '../directory.rules.ts'
import { readDirectory, writeMove } from '../directory.ts'
import { placement, requireCell } from '../placement.ts'
import { MoveLock } from './move-lock.store.ts'
import { MoveRefused } from './move-refused.ts'
import { openCell } from './open-cell.ts'
import { selectPresence } from './organization-state.store.ts'
import { assertNotArrived } from './readiness/assert-ready.ts'
import { forgetRows } from './rows/forget-rows.ts'
import { stopFollowing } from './rows/rows.ts'

/**
 * Cancels a migration that has not arrived: the organization stays where it was, and only objects are left at the
 * destination.
 */
export async function abandonMove(
  directoryFile: string,
  organizationId: OrganizationId,
): Promise<UnderWay> {
  const directory = readDirectory(directoryFile)
  const underWay = abandonable(directory, organizationId)
  await using source = openCell(requireCell(directory, underWay.from))
  await using destination = openCell(requireCell(directory, underWay.to))
  const databases = [source, destination].map((cell) => cell.placement.cell.database)
  await using lock = await MoveLock.take(databases, organizationId)
  if (!lock)
    throw new MoveRefused(`${organizationId} is being moved by another process; stop that first.`)
  // The previous holder of the lock may have completed the migration.
  const { from, to } = abandonable(readDirectory(directoryFile), organizationId)
  if (from !== source.name || to !== destination.name)
    throw new MoveRefused(`Another move of ${organizationId} has started since.`)
  await assertNotArrived(source, destination, organizationId)
  await stopFollowing(source.database, destination.database, organizationId)
  await resumeOrganization(source.database, organizationId, 'leaving')
  if ((await selectPresence(destination.database, organizationId)).why === 'arriving') {
    await forgetRows(destination.database, organizationId, 'arriving')
    await resumeOrganization(destination.database, organizationId, 'arriving')
  }
  await lock.assertOurs()
  await writeMove(directoryFile, organizationId, undefined)
  return underWay
}

function abandonable(directory: Directory, organizationId: OrganizationId): UnderWay {
  const underWay = moveOf(directory, organizationId)
  if (!underWay) throw new MoveRefused(`${organizationId} is not being moved.`)
  const hasArrived =
    underWay.stage === 'arrived' || placement(directory, organizationId).name === underWay.to
  if (hasArrived) {
    throw new MoveRefused(
      `${organizationId} has arrived in cell ${underWay.to}. Run move-organization again to complete the move; then it can be moved back.`,
    )
  }
  return underWay
}

import type { OrganizationId } from '../../../kernel/ids.ts'
import { readFitness } from '../../../platform/db/fitness.store.ts'
import { describeAway, isStorageAway } from '../../../platform/storage/availability.ts'
import type { Buckets } from '../../../upkeep/buckets.ts'
import type { CellName } from '../../directory.rules.ts'
import { MoveRefused } from '../move-refused.ts'
import type { OpenCell } from '../open-cell.ts'
import { selectKeyIds, selectPresence, selectStanding } from '../standing.store.ts'
import { assertApart } from './assert-apart.ts'
import { faultsOf, keyFault } from './readiness.rules.ts'

/** Throws everything that stands against a move, at once. */
export async function assertReady(
  source: OpenCell,
  destination: OpenCell,
  id: OrganizationId,
): Promise<void> {
  const { isHere } = await selectPresence(source.database, id)
  if (!isHere) throw new MoveRefused(`There is no organization ${id} in cell ${source.name}.`)
  const [from, to, keysInUse] = await Promise.all([
    selectStanding(source.database),
    selectStanding(destination.database),
    selectKeyIds(source.database, id),
  ])
  const faults = faultsOf({
    source: { name: source.name, standing: from },
    destination: {
      name: destination.name,
      standing: to,
      keyEncryptionKeys: destination.placement.cell.keyEncryptionKeys,
    },
    keysInUse,
  })
  // That both have the same was looked at; but not whether that is all which this mover goes by.
  if (!(await readFitness(destination.database))?.isMigrated) {
    faults.push(
      `Cell ${destination.name} lacks a migration of this release. Run server/migrate there.`,
    )
  }
  for (const { name, buckets } of [source, destination]) {
    const found = await Promise.all([faultOf(buckets.uploads), faultOf(buckets.media)])
    faults.push(
      ...[...new Set(found)].flatMap((fault) =>
        fault ? [`Storage of cell ${name}: ${fault}`] : [],
      ),
    )
  }
  if (faults.length > 0) throw new MoveRefused(faults.join('\n'))
  await assertApart(source, destination)
}

/** The keys of the cells stand in the directory, where a rotation is easily forgotten. */
async function faultOf(bucket: Pick<Buckets['media'], 'fault'>): Promise<string | undefined> {
  try {
    return await bucket.fault()
  } catch (error) {
    if (!isStorageAway(error)) throw error
    return `${describeAway(error)} Look at its endpoint and its key in the directory.`
  }
}

/**
 * Throws if there is anything of the organization where it is to go, before a move of it is noted:
 * nobody would know what it is.
 */
export async function assertRoom({ database, name }: OpenCell, id: OrganizationId): Promise<void> {
  const { isHere, why } = await selectPresence(database, id)
  if (why === 'gone') throw leftThere(id, name)
  if (why === 'arriving') {
    throw new MoveRefused(
      `Cell ${name} holds what a move of ${id} brought there, and the directory knows of none. Is it an old one? Put the line back into "moves" and run abandon-move.`,
    )
  }
  if (isHere || why !== null)
    throw new MoveRefused(`There is another organization ${id} in cell ${name}.`)
}

/**
 * Throws if what stands in the directory is not how the databases stand, whatever became of it
 * meanwhile: rows that are taken for a rest of an earlier try are deleted, and these may be the
 * only ones.
 */
export async function assertNotArrived(
  source: OpenCell,
  destination: OpenCell,
  id: OrganizationId,
): Promise<void> {
  const here = await selectPresence(source.database, id)
  if (here.why === 'gone') {
    throw new MoveRefused(
      `${id} has left cell ${source.name} already: the directory is older than that. Set the stage of its move to "arrived" and run move-organization again.`,
    )
  }
  if (here.why === 'arriving' || here.why === 'operator') {
    throw new MoveRefused(
      `${id} is held in cell ${source.name}, and not because of this move. See release-organization there.`,
    )
  }
  const there = await selectPresence(destination.database, id)
  if (there.why === 'gone') throw leftThere(id, destination.name)
  if (there.why === null ? there.isHere : there.why !== 'arriving') {
    throw new MoveRefused(
      `Cell ${destination.name} has an organization ${id} that this move did not bring there. Nothing is deleted. Does the directory say the truth about it?`,
    )
  }
}

const leftThere = (id: OrganizationId, name: CellName) =>
  new MoveRefused(
    `Cell ${name} still has what an earlier move left there. Run forget-organization ${id} --cell ${name} first.`,
  )

/** Throws if secrets have come under a key that the destination does not have. */
export async function assertKeys(
  source: OpenCell,
  { name, placement }: OpenCell,
  id: OrganizationId,
): Promise<void> {
  const keysInUse = await selectKeyIds(source.database, id)
  const fault = keyFault(keysInUse, {
    ...{ name, keyEncryptionKeys: placement.cell.keyEncryptionKeys },
    source: source.name,
  })
  if (fault !== undefined) throw new MoveRefused(fault)
}

import type { OrganizationId } from '../../../kernel/ids.ts'
import type { Buckets } from '../../../maintenance/buckets.ts'
import { readDatabaseReadiness } from '../../../platform/db/readiness.store.ts'
import { describeUnavailable, isStorageUnavailable } from '../../../platform/storage/availability.ts'
import type { CellName } from '../../directory.rules.ts'
import { MoveRefused } from '../move-refused.ts'
import { type OpenCell, stateIn } from '../open-cell.ts'
import { selectDatabaseState, selectKeyIds } from '../organization-state.store.ts'
import { findProblems, missingKeyProblem } from './readiness.rules.ts'
import { assertSeparateBuckets } from './separate-buckets.ts'

/** Throws one error with all problems that prevent a migration. */
export async function assertReady(source: OpenCell, destination: OpenCell, id: OrganizationId): Promise<void> {
  const { exists, why } = await stateIn(source, id)
  if (why === 'deleted')
    throw new MoveRefused(`${id} is being deleted in cell ${source.name}. See delete-organization --cancel there.`)
  if (!exists) throw new MoveRefused(`There is no organization ${id} in cell ${source.name}.`)
  const [from, to, keysInUse] = await Promise.all([
    selectDatabaseState(source.database),
    selectDatabaseState(destination.database),
    selectKeyIds(source.database, id),
  ])
  const problems = findProblems({
    source: { name: source.name, state: from },
    destination: {
      name: destination.name,
      state: to,
      keyEncryptionKeys: destination.placement.cell.keyEncryptionKeys,
    },
    keysInUse,
  })
  // An earlier check ensures that both databases have the same schema migrations. This one ensures that they lack none
  // of this release.
  if (!(await readDatabaseReadiness(destination.database))?.isMigrated) {
    problems.push(`Cell ${destination.name} lacks a migration of this release. Run server/migrate there.`)
  }
  for (const { name, buckets } of [source, destination]) {
    const found = await Promise.all([bucketProblem(buckets.uploads), bucketProblem(buckets.media)])
    problems.push(...[...new Set(found)].flatMap((problem) => (problem ? [`Storage of cell ${name}: ${problem}`] : [])))
  }
  if (problems.length > 0) throw new MoveRefused(problems.join('\n'))
  await assertSeparateBuckets(source, destination)
}

/** Checks access to a bucket with the storage key in the cells file, which may be outdated after a key rotation. */
async function bucketProblem(bucket: Pick<Buckets['media'], 'configurationError'>): Promise<string | undefined> {
  try {
    return await bucket.configurationError()
  } catch (error) {
    if (!isStorageUnavailable(error)) throw error
    return `${describeUnavailable(error)} Check its endpoint and its key in CELLS_FILE.`
  }
}

/**
 * Throws if the destination has data of the organization before its migration is recorded: the origin of that data
 * would be unclear.
 */
export async function assertAbsent({ database, name }: OpenCell, id: OrganizationId): Promise<void> {
  const { exists, why } = await stateIn({ database }, id)
  if (why === 'gone') throw leftoverData(id, name)
  if (why === 'arriving') {
    throw new MoveRefused(
      `Cell ${name} has data of a move of ${id} that CELLS_FILE does not list. CELLS_FILE may be an old copy: ` +
        'restore its entry in "moves", then run cancel-move.',
    )
  }
  if (exists || why !== null) throw new MoveRefused(`There is another organization ${id} in cell ${name}.`)
}

/**
 * Throws if the cells file contradicts the databases: a migration deletes rows that look like leftovers of an earlier
 * attempt, and these rows may be the only copy.
 */
export async function assertNotArrived(source: OpenCell, destination: OpenCell, id: OrganizationId): Promise<void> {
  const sourceState = await stateIn(source, id)
  if (sourceState.why === 'gone') {
    throw new MoveRefused(
      `${id} has already left cell ${source.name}: CELLS_FILE is outdated. ` +
        'Set the stage of its move to "arrived" and run move-organization again.',
    )
  }
  if (sourceState.why === 'arriving' || sourceState.why === 'operator') {
    throw new MoveRefused(
      `${id} is suspended in cell ${source.name}, but not by this move. See resume-organization there.`,
    )
  }
  const destinationState = await stateIn(destination, id)
  if (destinationState.why === 'gone') throw leftoverData(id, destination.name)
  if (destinationState.why === null ? destinationState.exists : destinationState.why !== 'arriving') {
    throw new MoveRefused(
      `Cell ${destination.name} has an organization ${id} that this move did not create. Nothing was deleted. ` +
        'Check whether CELLS_FILE is an old copy.',
    )
  }
}

const leftoverData = (id: OrganizationId, name: CellName) =>
  new MoveRefused(
    `Cell ${name} still has data that an earlier move left there. Run delete-moved-organization ${id} --cell ${name} first.`,
  )

/** Throws if secrets have been stored since the first check with a key that the destination does not have. */
export async function assertKeys(source: OpenCell, { name, placement }: OpenCell, id: OrganizationId): Promise<void> {
  const keysInUse = await selectKeyIds(source.database, id)
  const problem = missingKeyProblem(keysInUse, {
    ...{ name, keyEncryptionKeys: placement.cell.keyEncryptionKeys },
    source: source.name,
  })
  if (problem !== undefined) throw new MoveRefused(problem)
}

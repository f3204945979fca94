/**
 * The organizations that storage maintenance covers: those hosted here. If one is suspended by the operator, or
 * because it is about to be migrated, all of its rows and objects are here: they are copied and compared as usual,
 * but nothing is deleted or processed again. An organization that is arriving is incomplete, and one that has left
 * is in another cell: what looks like a loss or an orphan is part of a migration, which takes care of it.
 */
import { eachOrganization } from '../modules/organizations/organizations.ts'
import type { Database, OrganizationDb } from '../platform/db/database.ts'
import { isSuspended } from '../platform/db/suspension.ts'
import { selectElsewhereCount, selectStanding } from './local-organizations.store.ts'

export type Here = { readonly db: OrganizationDb; readonly isSuspended: boolean }

/** Needs a database opened as the owner. The state of each organization is read when it is its turn. */
export async function* eachHere(database: Database): AsyncGenerator<Here> {
  for await (const id of eachOrganization(database)) {
    const db = database.forOrganization(id)
    const standing = await standingOf(db)
    if (areAllHere.has(standing)) yield { db, isSuspended: standing === 'held' }
  }
}

/** Whether all of its rows and objects are here. */
export async function isHere(db: OrganizationDb): Promise<boolean> {
  return areAllHere.has(await standingOf(db))
}

/** Whether it is here and not suspended, so that it may be changed. */
export async function isAttended(db: OrganizationDb): Promise<boolean> {
  return (await standingOf(db)) === 'attended'
}

type OrganizationStanding = 'attended' | 'held' | 'elsewhere' | 'unknown'
const areAllHere: ReadonlySet<OrganizationStanding> = new Set(['attended', 'held'])

export async function standingOf(db: OrganizationDb): Promise<OrganizationStanding> {
  const { isKnown, heldWhy } = await selectStanding(db)
  if (heldWhy === 'arriving' || heldWhy === 'gone') return 'elsewhere'
  if (heldWhy !== null) return 'held'
  return isKnown ? 'attended' : 'unknown'
}

/** The number of skipped organizations. */
export const countElsewhere = (database: Database): Promise<number> =>
  selectElsewhereCount(database)

/** Returns `otherwise` if the organization was suspended during the work, so that the next one can follow. */
export async function unlessHeld<Answer>(
  doing: Promise<Answer>,
  otherwise: Answer,
): Promise<Answer> {
  try {
    return await doing
  } catch (error) {
    if (isSuspended(error)) return otherwise
    throw error
  }
}

/**
 * Whom upkeep looks after: organizations that are here. Of one that is held by the operator, or
 * because it is about to leave, all rows and objects are here: they are copied and compared like
 * those of others, and nothing of it is deleted or made again. Of one that arrives not all of it is
 * here, and one that is gone is in another cell: what looks like a loss, or like something that was
 * left over, is half a move. Whoever moves it looks after it.
 */
import { eachOrganization } from '../capabilities/organizations/organizations.ts'
import type { Database, OrganizationDb } from '../platform/db/database.ts'
import { isHeld } from '../platform/db/held.ts'
import { selectElsewhereCount, selectStanding } from './attended.store.ts'

export type Here = { readonly db: OrganizationDb; readonly isHeld: boolean }

/** Needs a database opened as the owner. Each is asked about when it is its turn. */
export async function* eachHere(database: Database): AsyncGenerator<Here> {
  for await (const id of eachOrganization(database)) {
    const db = database.forOrganization(id)
    const standing = await standingOf(db)
    if (areAllHere.has(standing)) yield { db, isHeld: standing === 'held' }
  }
}

/** All of it: its rows and its objects. */
export async function isHere(db: OrganizationDb): Promise<boolean> {
  return areAllHere.has(await standingOf(db))
}

/** Here, and not held: something of it may be changed. */
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

/** How many are passed over. */
export const countElsewhere = (database: Database): Promise<number> =>
  selectElsewhereCount(database)

/** One that was held in the middle of it does not keep the next one waiting. */
export async function unlessHeld<Answer>(
  doing: Promise<Answer>,
  otherwise: Answer,
): Promise<Answer> {
  try {
    return await doing
  } catch (error) {
    if (isHeld(error)) return otherwise
    throw error
  }
}

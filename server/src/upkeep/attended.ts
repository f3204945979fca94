/**
 * Whom upkeep looks after: organizations that are here and are not held. Of one that is held, rows or objects may be on their way: what looks
 * like a loss, or like something that was left over, is half a move. Whoever moves it looks after it.
 */
import { eachOrganization } from '../capabilities/organizations/organizations.ts'
import type { OrganizationId } from '../kernel/ids.ts'
import type { Database, OrganizationDb } from '../platform/db/database.ts'
import { isHeld } from '../platform/db/held.ts'
import { selectHeldCount, selectStanding } from './attended.store.ts'

/** Needs a database opened as the owner. Each is asked about when it is its turn. */
export async function* eachAttended(database: Database): AsyncGenerator<OrganizationId> {
  for await (const id of eachOrganization(database)) {
    if (await isAttended(database.forOrganization(id))) yield id
  }
}

export async function isAttended(db: OrganizationDb): Promise<boolean> {
  return (await standingOf(db)) === 'attended'
}

export async function standingOf(db: OrganizationDb): Promise<'attended' | 'held' | 'unknown'> {
  const standing = await selectStanding(db)
  if (standing.isHeld) return 'held'
  return standing.isHere ? 'attended' : 'unknown'
}

/** How many are passed over. */
export const countHeld = (database: Database): Promise<number> => selectHeldCount(database)

/** One that was held in the middle of it is passed over like the others, and so does not keep the next one waiting. */
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

/**
 * Organizations that are held: nothing of them is written, because they are moved or because the
 * operator said so. Postgres itself refuses it, before every table (`refuse_while_held()` of the
 * migrations). One that is *gone* lives in another cell: it is not read here either.
 */
import { sql } from 'kysely'
import pg from 'pg'
import { notNow } from '../../kernel/errors.ts'
import type { OrganizationDb } from './database.ts'
import { type Given, statement } from './statement.ts'

/** What the barrier says. */
const HELD_STATE = 'RK001'

/** Whether a statement was refused because its organization is held. */
export const isHeld = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.code === HELD_STATE

/** For who asks meanwhile. What was refused has not happened, so it may be repeated. */
export const beingMoved = () =>
  notNow(
    'unavailable',
    'This organization is being moved. Please repeat the request in a moment.',
    1,
  )

/** Answers a row if the organization is held. */
export const heldQuery = statement(
  ({ organizationId }: Given<object>) => sql<object>`
    select from held_organizations where organization_id = ${organizationId}`,
)

/** Answers a row if the organization is gone. It travels with whatever else is asked, so it costs no round trip. */
export const goneQuery = statement(
  ({ organizationId }: Given<object>) => sql<object>`
    select from held_organizations
    where organization_id = ${organizationId} and is_gone`,
)

export async function isGone(db: OrganizationDb): Promise<boolean> {
  const [rows] = await db.run(goneQuery({}))
  return rows.length > 0
}

/** On which it is told that an organization is gone, for those who would not ask for long. */
export const GONE_CHANNEL = 'reelkeep_gone'

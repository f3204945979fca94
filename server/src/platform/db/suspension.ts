/**
 * Suspended organizations are read-only: during a migration to another cell, or because the operator
 * suspended them. A trigger on every table rejects writes (`refuse_while_held()` of the migrations).
 * An organization that is absent is not read here either: another cell hosts it, or it is being deleted.
 */
import { sql } from 'kysely'
import pg from 'pg'
import { retryLater } from '../../kernel/errors.ts'
import type { OrganizationDb } from './database.ts'
import { type Given, statement } from './statement.ts'

/** SQLSTATE that `refuse_while_held()` raises for a write to a suspended organization. */
const SUSPENDED_SQLSTATE = 'RK001'

/** Whether a statement was rejected because its organization is suspended. */
export const isSuspended = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.code === SUSPENDED_SQLSTATE

/** Error for a request that a suspension or migration prevents. The request had no effect, so the client may retry. */
export const organizationBeingMoved = () =>
  retryLater('unavailable', 'This organization is suspended or being moved. Retry in 1 second.', 1)

/** Returns a row if the organization is suspended. */
export const suspendedQuery = statement(
  ({ organizationId }: Given<object>) => sql<object>`
    select from held_organizations where organization_id = ${organizationId}`,
)

/** True if the organization is suspended or was migrated away. */
export async function isOrganizationSuspended(db: OrganizationDb): Promise<boolean> {
  const [rows] = await db.run(suspendedQuery({}))
  return rows.length > 0
}

/**
 * Why an organization is not served here. Requests for one that was migrated away may be repeated; one that was deleted
 * gets the same responses as one that never existed.
 */
export type Absence = 'migrated' | 'deleted'

/** Returns a row if the organization is absent. Sent with other queries to save a round trip. */
export const absenceQuery = statement(
  ({ organizationId }: Given<object>) => sql<{ absence: Absence }>`
    select case why when 'gone' then 'migrated' else 'deleted' end as absence from held_organizations
    where organization_id = ${organizationId} and is_gone`,
)

export async function isAbsent(db: OrganizationDb): Promise<boolean> {
  const [rows] = await db.run(absenceQuery({}))
  return rows.length > 0
}

/** Announces organizations that have become absent, so that event streams end at once. */
export const ABSENCE_CHANNEL = 'reelkeep_gone'

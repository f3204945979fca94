import { type RawBuilder, sql } from 'kysely'
import type { OrganizationDb } from '../../platform/db/database.ts'
import type { PageRequest } from '../../platform/db/paging/keyset.ts'
import { keysetQuery } from '../../platform/db/paging/keyset-query.ts'
import { customPlan, dedicatedConnection, type Given, statement } from '../../platform/db/statement.ts'
import type { Actor, AuditEntry, AuditObject } from './audit.rules.ts'

/** Which entries to read; null for all. */
export type EntryFilter = {
  readonly actorId: string | null
  readonly action: string | null
  readonly objectId: string | null
  readonly outcome: string | null
  readonly createdAfter: string | null
  readonly createdBefore: string | null
}

type EntryRow = Omit<AuditEntry, 'actor' | 'object'> & {
  readonly actorKind: Actor['kind']
  readonly actorId: string | null
  readonly actorName: string | null
  readonly objectType: string | null
  readonly objectId: string | null
}

const columns = sql`organization_id as "organizationId", number, created_at as "createdAt", actor_kind as "actorKind",
  actor_id as "actorId", actor_name as "actorName", action, object_type as "objectType", object_id as "objectId", outcome,
  error_code as "errorCode", address, user_agent as "userAgent", request_id as "requestId", entry_count as count,
  encode(previous_hash, 'hex') as "previousHash", encode(hash, 'hex') as hash`

const toEntry = ({ actorKind, actorId, actorName, objectType, objectId, ...entry }: EntryRow): AuditEntry => ({
  ...entry,
  actor: { kind: actorKind, id: actorId, name: actorName },
  object: objectOf(objectType, objectId),
})

const objectOf = (type: string | null, id: string | null): AuditObject | null =>
  type === null || id === null ? null : { type, id }

const newestFirst = { columns: ['number'], direction: 'desc' } as const

const listAll = keysetQuery(
  newestFirst,
  ({ organizationId }: Given<object>, { afterPosition, order, limit }) => sql<EntryRow>`
    select ${columns} from audit_entries
    where organization_id = ${organizationId} and ${afterPosition} ${order} limit ${limit}`,
)

/** Tests nothing if the value is null. A custom plan leaves the test out. */
const matches = (column: string, comparison: string, value: unknown, type: string): RawBuilder<boolean> =>
  sql`(${value}::${sql.raw(type)} is null or ${sql.ref(column)} ${sql.raw(comparison)} ${value}::${sql.raw(type)})`

const isMatch = (filter: EntryFilter) => sql`
  ${matches('actor_id', '=', filter.actorId, 'uuid')} and ${matches('action', '=', filter.action, 'text')}
  and ${matches('object_id', '=', filter.objectId, 'text')} and ${matches('outcome', '=', filter.outcome, 'text')}
  and ${matches('created_at', '>=', filter.createdAfter, 'timestamptz')}
  and ${matches('created_at', '<', filter.createdBefore, 'timestamptz')}`

const listFiltered = customPlan(
  keysetQuery(
    newestFirst,
    (given: Given<EntryFilter>, { afterPosition, order, limit }) => sql<EntryRow>`
      select ${columns} from audit_entries
      where organization_id = ${given.organizationId} and ${isMatch(given)} and ${afterPosition} ${order} limit ${limit}`,
  ),
)

/** Entries of a page, newest first, and one more if there are more. */
export async function selectEntries(
  db: OrganizationDb,
  filter: EntryFilter,
  request: PageRequest,
): Promise<AuditEntry[]> {
  const isFiltered = Object.values(filter).some((value) => value !== null)
  const [rows] = await db.run(isFiltered ? listFiltered(filter, request) : listAll({}, request))
  return rows.map(toEntry)
}

type TimeRange = Pick<EntryFilter, 'createdAfter' | 'createdBefore'>

/**
 * Entries near an end of a range of time that are compared: entries get their numbers when they are sealed, so their
 * times are only almost in the order of their numbers.
 */
const ENTRIES_COMPARED = 1000

const numbers = customPlan(
  statement(
    ({ organizationId, createdAfter, createdBefore }: Given<TimeRange>) => sql<{ first: number; last: number }>`
      select coalesce(case when ${createdAfter}::timestamptz is null then 1 else (
          select min(number) from (
            select number from audit_entries
            where organization_id = ${organizationId} and created_at >= ${createdAfter}::timestamptz
            order by created_at limit ${sql.lit(ENTRIES_COMPARED)}) as young) end, ${sql.lit(Number.MAX_SAFE_INTEGER)}) as first,
        coalesce(case when ${createdBefore}::timestamptz is null then (
          select last_number from audit_logs where organization_id = ${organizationId}) else (
          select max(number) from (
            select number from audit_entries
            where organization_id = ${organizationId} and created_at < ${createdBefore}::timestamptz
            order by created_at desc limit ${sql.lit(ENTRIES_COMPARED)}) as old) end, 0) as last`,
  ),
)

/** The first and last number of entries in a range of time. */
export async function selectNumbers(db: OrganizationDb, given: TimeRange): Promise<{ first: number; last: number }> {
  const [[row]] = await db.run(numbers(given))
  return row ?? { first: 1, last: 0 }
}

const chain = dedicatedConnection(
  statement(
    ({ organizationId, after, last, limit }: Given<{ after: number; last: number; limit: number }>) => sql<EntryRow>`
      select ${columns} from audit_entries
      where organization_id = ${organizationId} and number > ${after} and number <= ${last} order by number limit ${limit}`,
  ),
)

/** The entries after a number up to another, in order. */
export async function selectChain(
  db: OrganizationDb,
  given: { readonly after: number; readonly last: number; readonly limit: number },
): Promise<AuditEntry[]> {
  const [rows] = await db.run(chain(given))
  return rows.map(toEntry)
}

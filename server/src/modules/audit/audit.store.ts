import { sql } from 'kysely'
import type { OrganizationId } from '../../kernel/ids.ts'
import type { Database, OrganizationDb } from '../../platform/db/database.ts'
import { dedicatedConnection, type Given, type Query, statement } from '../../platform/db/statement.ts'
import type { ChainEnd, NewEntry } from './audit.rules.ts'

/** An entry as a row of the outbox. */
type OutboxRow = {
  readonly actorKind: string
  readonly actorId: string | null
  readonly actorName: string | null
  readonly action: string
  readonly objectType: string | null
  readonly objectId: string | null
  readonly outcome: string
  readonly errorCode: string | null
  readonly address: string | null
  readonly userAgent: string | null
  readonly requestId: string | null
}

const rowOf = (entry: NewEntry): OutboxRow => ({
  actorKind: entry.actor.kind,
  actorId: entry.actor.id,
  actorName: entry.actor.name,
  action: entry.action,
  objectType: entry.object?.type ?? null,
  objectId: entry.object?.id ?? null,
  outcome: entry.outcome,
  errorCode: entry.errorCode,
  address: entry.address,
  userAgent: entry.userAgent,
  requestId: entry.requestId,
})

// A transaction has an id as soon as it has changed a row: an update that found none leaves no entry.
const insertIfChanged = statement(
  (row: Given<OutboxRow>) => sql<object>`
    insert into audit_outbox (organization_id, actor_kind, actor_id, actor_name, action, object_type, object_id, outcome,
      error_code, address, user_agent, request_id)
    select ${row.organizationId}, ${row.actorKind}, ${row.actorId}::uuid, ${row.actorName}, ${row.action},
      ${row.objectType}, ${row.objectId}, ${row.outcome}, ${row.errorCode}, ${row.address}, ${row.userAgent},
      ${row.requestId}
    where pg_current_xact_id_if_assigned() is not null
    returning true as "isWritten"`,
)

/** Query that records an entry if its transaction has changed something; it returns a row if it did. */
export const entryQueryIfChanged = (entry: NewEntry): Query<object> => insertIfChanged(rowOf(entry))

/** An entry that was recorded a moment ago. */
export type WaitingEntry = NewEntry & { readonly ageMilliseconds: number }

const insertMany = statement(
  ({ organizationId, entries }: Given<{ entries: string }>) => sql`
    insert into audit_outbox (organization_id, created_at, actor_kind, actor_id, actor_name, action, object_type,
      object_id, outcome, error_code, address, user_agent, request_id, entry_count)
    select ${organizationId}, clock_timestamp() - make_interval(secs => age / 1000), "actorKind", "actorId", "actorName",
      action, "objectType", "objectId", outcome, "errorCode", address, "userAgent", "requestId", count
    from jsonb_to_recordset(${entries}::jsonb) as entry ("actorKind" text, "actorId" uuid, "actorName" text, action text,
      "objectType" text, "objectId" text, outcome text, "errorCode" text, address text, "userAgent" text,
      "requestId" text, count integer, age float8)`,
)

export const entriesQuery = (entries: readonly WaitingEntry[]): Query<unknown> =>
  insertMany({
    entries: JSON.stringify(
      entries.map((entry) => ({ ...rowOf(entry), count: entry.count ?? 1, age: entry.ageMilliseconds })),
    ),
  })

const seal = dedicatedConnection(
  statement(
    ({ limit }: Given<{ limit: number }>) => sql<{ sealed: number }>`
      select seal_audit_entries(${limit}::integer) as sealed`,
  ),
)

const anyWaiting = statement(
  ({ organizationId }: Given<object>) => sql<object>`
    select from audit_outbox where organization_id = ${organizationId} limit 1`,
)

export async function hasUnsealed(db: OrganizationDb): Promise<boolean> {
  const [rows] = await db.run(anyWaiting({}))
  return rows.length > 0
}

/** Seals a batch of entries and returns their number. */
export async function sealBatch(db: OrganizationDb, limit: number): Promise<number> {
  const [[row]] = await db.run(seal({ limit }))
  return row?.sealed ?? 0
}

const organizationsWaiting = statement(
  ({ limit }: Given<{ limit: number }>) => sql<{ organizationId: OrganizationId }>`
    select organization_id as "organizationId" from organizations_with_unsealed_audit_entries
    order by since limit ${limit}`,
)

export async function selectUnsealed(database: Database, limit: number): Promise<OrganizationId[]> {
  const rows = await database.runUnscoped(organizationsWaiting({ limit }))
  return rows.map(({ organizationId }) => organizationId)
}

const longestWait = dedicatedConnection(
  statement(
    (_: Given<object>) => sql<{ seconds: number }>`
      select coalesce(extract(epoch from now() - min(since)), 0)::float8 as seconds
      from organizations_with_unsealed_audit_entries`,
  ),
)

/** Age of the oldest entry that is not sealed. */
export async function unsealedSeconds(database: Database): Promise<number> {
  return (await database.runUnscoped(longestWait({})))[0]?.seconds ?? 0
}

const logEnds = statement(
  ({ organizationId }: Given<object>) => sql<AuditLog>`
    select last_number as "lastNumber", encode(last_hash, 'hex') as "lastHash", anchor_number as "anchorNumber",
      encode(anchor_hash, 'hex') as "anchorHash",
      coalesce(
        (select object_id from audit_outbox as removal
          where removal.organization_id = ${organizationId} and action = 'removeOldAuditEntries'
            and actor_kind = 'system' order by position desc limit 1),
        (select object_id from audit_entries as removal
          where removal.organization_id = ${organizationId} and action = 'removeOldAuditEntries'
            and actor_kind = 'system' order by number desc limit 1)) as "removedUpTo"
    from audit_logs where organization_id = ${organizationId}`,
)

/** The ends of a log. */
export type AuditLog = {
  readonly lastNumber: number
  readonly lastHash: string
  readonly anchorNumber: number
  readonly anchorHash: string
  /** Number in the last entry about the removal of old entries. */
  readonly removedUpTo: string | null
}

export async function findLog(db: OrganizationDb): Promise<AuditLog | undefined> {
  const [[log]] = await db.run(logEnds({}))
  return log
}

const logOrganizations = statement(
  ({ after, limit }: Given<{ after: string; limit: number }>) => sql<{ id: OrganizationId }>`
    select organization_id as id from audit_logs where organization_id > ${after} order by organization_id limit ${limit}`,
)

/** Organizations with a log, in the order of their ids. Requires a connection of the owner role. */
export async function selectOrganizations(database: Database, after: string, limit: number): Promise<OrganizationId[]> {
  return (await database.runUnscoped(logOrganizations({ after, limit }))).map(({ id }) => id)
}

const withOldEntries = statement(
  ({ days, limit }: Given<{ days: number; limit: number }>) => sql<{ id: OrganizationId }>`
    select organization_id as id from audit_log_states
    where oldest_at < now() - make_interval(days => ${days}::integer) limit ${limit}`,
)

export async function selectWithOldEntries(database: Database, days: number, limit: number): Promise<OrganizationId[]> {
  return (await database.runUnscoped(dedicatedConnection(withOldEntries)({ days, limit }))).map(({ id }) => id)
}

const removeOld = dedicatedConnection(
  statement(
    ({ days, limit }: Given<{ days: number; limit: number }>) => sql<{ removed: number }>`
      select remove_old_audit_entries(${days}::integer, ${limit}::integer) as removed`,
  ),
)

/** Removes entries from the start of the log and returns their number. */
export async function removeOldBatch(db: OrganizationDb, days: number, limit: number): Promise<number> {
  const [[row]] = await db.run(removeOld({ days, limit }))
  return row?.removed ?? 0
}

const unpublished = dedicatedConnection(
  statement(
    ({ limit }: Given<{ limit: number }>) => sql<{ id: OrganizationId }>`
      select organization_id as id from audit_log_states where is_unpublished limit ${limit}`,
  ),
)

export async function selectUnpublished(database: Database, limit: number): Promise<OrganizationId[]> {
  return (await database.runUnscoped(unpublished({ limit }))).map(({ id }) => id)
}

const publish = dedicatedConnection(
  statement((_: Given<object>) => sql<ChainEnd>`select number, encode(hash, 'hex') as hash from publish_audit_head()`),
)

/** Returns the end of the log if it is due for publication today. */
export async function takeHeadToPublish(tx: OrganizationDb): Promise<ChainEnd | undefined> {
  const [[head]] = await tx.run(publish({}))
  return head
}

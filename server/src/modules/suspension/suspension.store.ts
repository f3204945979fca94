import { sql } from 'kysely'
import type { Timestamp } from '../../kernel/time.ts'
import type { Database, OrganizationDb } from '../../platform/db/database.ts'
import { build, type Given, statement } from '../../platform/db/statement.ts'
import { ABSENCE_CHANNEL } from '../../platform/db/suspension.ts'

/**
 * Why an organization is suspended: by the operator, while it is migrated away (`leaving`) or to this cell
 * (`arriving`), because another cell hosts it (`gone`), or because it is being deleted (`deleted`).
 */
export type SuspensionReason = 'operator' | 'leaving' | 'arriving' | 'gone' | 'deleted'
type Reason = { readonly why: SuspensionReason }

export type OrganizationState = {
  /** The organization has a row in this database. */
  readonly exists: boolean
  /** Start of the suspension; null, like `why`, if the organization is not suspended. */
  readonly suspendedSince: Timestamp | null
  readonly why: SuspensionReason | null
}

// The first suspension decides the reason; the no-op update makes "returning" return it.
const insert = statement(
  ({ organizationId, why }: Given<Reason>) => sql<Reason>`
    insert into held_organizations (organization_id, why) values (${organizationId}, ${why})
    on conflict (organization_id) do update set why = held_organizations.why
    returning why`,
)

const setMigratedAway = statement(
  ({ organizationId }: Given<object>) => sql<object>`
    update held_organizations set why = 'gone'
    where organization_id = ${organizationId} and why not in ('arriving', 'deleted')
    returning organization_id`,
)

const notifyAbsence = statement(
  ({ organizationId }: Given<object>) => sql`
    select from (select pg_notify(${sql.lit(ABSENCE_CHANNEL)}, ${organizationId}::text)) as notified`,
)

const setDeleted = statement(
  ({ organizationId, days }: Given<{ days: number }>) => sql<{ purgeAt: Timestamp }>`
    update held_organizations set why = 'deleted', purge_at = now() + make_interval(days => ${days}::integer)
    where organization_id = ${organizationId} and why = 'operator'
    returning purge_at as "purgeAt"`,
)

// A purge that is due may have begun.
const removeDeletion = statement(
  ({ organizationId }: Given<object>) => sql<object>`
    delete from held_organizations
    where organization_id = ${organizationId} and why = 'deleted' and purge_at > now() returning organization_id`,
)

const setRoutedHere = statement(
  ({ organizationId }: Given<object>) => sql<object>`
    update held_organizations set led_here_since = coalesce(led_here_since, now())
    where organization_id = ${organizationId} and why = 'arriving'`,
)

const remove = statement(({ organizationId, why }: Given<Reason>) =>
  build
    .deleteFrom('held_organizations')
    .where('organization_id', '=', organizationId)
    .where('why', '=', why)
    .returning('organization_id'),
)

const state = statement(
  ({ organizationId }: Given<object>) => sql<OrganizationState>`
    select exists (select from organizations where id = ${organizationId}) as exists, since as "suspendedSince", why
    from (select) as one left join held_organizations on organization_id = ${organizationId}`,
)

/** Returns the reason of the suspension: `why`, or that of an earlier suspension. */
export async function insertSuspension(db: OrganizationDb, why: SuspensionReason): Promise<SuspensionReason> {
  const [[row]] = await db.run(insert({ why }))
  return row?.why ?? why
}

/** Returns false if the organization is not suspended or is arriving. */
export async function updateToMigratedAway(db: OrganizationDb): Promise<boolean> {
  const [rows] = await db.run(setMigratedAway({}), notifyAbsence({}))
  return rows.length > 0
}

/** Returns the time of the purge; undefined if the organization is not suspended by the operator. */
export async function updateToDeleted(db: OrganizationDb, days: number): Promise<Timestamp | undefined> {
  const [[row]] = await db.run(setDeleted({ days }), notifyAbsence({}))
  return row?.purgeAt
}

/** Returns false if the organization is not being deleted, or if its purge is due. */
export async function deleteDeletion(db: OrganizationDb): Promise<boolean> {
  const [rows] = await db.run(removeDeletion({}))
  return rows.length > 0
}

/** Does nothing unless the organization is arriving. */
export async function updateToRoutedHere(db: OrganizationDb): Promise<void> {
  await db.run(setRoutedHere({}))
}

/** Returns false if the organization was not suspended for this reason. */
export async function deleteSuspension(db: OrganizationDb, why: SuspensionReason): Promise<boolean> {
  const [rows] = await db.run(remove({ why }))
  return rows.length > 0
}

export async function selectState(db: OrganizationDb): Promise<OrganizationState> {
  const [[row]] = await db.run(state({}))
  return row ?? { exists: false, suspendedSince: null, why: null }
}

const elsewhere = statement(
  (_: Given<object>) => sql<{ count: number }>`
    select count(*)::int as count from held_organizations where why in ('arriving', 'gone')`,
)

export async function countElsewhere(database: Database): Promise<number> {
  return (await database.runUnscoped(elsewhere({})))[0]?.count ?? 0
}

/**
 * Transactions that may have written without seeing the suspension. A writing transaction holds a RowExclusiveLock from
 * before the write-block trigger runs until its end. A transaction without this lock has written nothing, and the
 * trigger will refuse its writes; so readers need not be waited for. pg_locks does not show the organization.
 * Transactions of superusers are ignored: the service has none.
 */
const transactions = sql`
  select distinct locks.virtualtransaction as name, locks.pid
  from pg_locks locks
  join pg_trigger block on block.tgrelid = locks.relation and block.tgname = 'refuse_while_held'
  join pg_stat_activity activity on activity.pid = locks.pid and activity.datname = current_database()
  join pg_roles roles on roles.oid = activity.usesysid and not roles.rolsuper
  where locks.locktype = 'relation' and locks.granted and locks.mode = 'RowExclusiveLock'
    and locks.database = (select oid from pg_database where datname = current_database())
    and locks.pid <> pg_backend_pid()`

const underWay = statement((_: Given<object>) => sql<{ name: string }>`select name from (${transactions}) as writing`)

const remaining = statement(
  ({ names }: Given<{ names: string[] }>) => sql<{ name: string }>`
    select name from (${transactions}) as writing where name = any (${names}::text[])`,
)

// "materialized": in a plain condition, Postgres might call pg_terminate_backend for every row first.
const terminate = statement(
  ({ names }: Given<{ names: string[] }>) => sql<object>`
    with hanging as materialized (
      select pid from (${transactions}) as writing where name = any (${names}::text[])
    )
    select pg_terminate_backend(pid) from hanging`,
)

/** Virtual ids of the writing transactions in this database. */
export async function selectTransactions(database: Database): Promise<string[]> {
  return (await database.runUnscoped(underWay({}))).map(({ name }) => name)
}

/** The given transactions that have not ended yet. */
export async function selectRemaining(database: Database, names: readonly string[]): Promise<string[]> {
  return (await database.runUnscoped(remaining({ names: [...names] }))).map(({ name }) => name)
}

/** Terminates the connections of the transactions, which rolls them back. */
export async function terminateTransactions(database: Database, names: readonly string[]): Promise<void> {
  await database.runUnscoped(terminate({ names: [...names] }))
}

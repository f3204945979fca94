import { sql } from 'kysely'
import type { Database, OrganizationDb } from '../../platform/db/database.ts'
import { GONE_CHANNEL } from '../../platform/db/held.ts'
import { build, type Given, statement } from '../../platform/db/statement.ts'

/** Why an organization is held: the operator said so, or it is moved away, or to here, or it lives elsewhere by now. */
export type HoldReason = 'operator' | 'leaving' | 'arriving' | 'gone'
type Reason = { readonly why: HoldReason }

// Whoever came first decides why; the row is written again, so that it is answered.
const insert = statement(
  ({ organizationId, why }: Given<Reason>) => sql<Reason>`
    insert into held_organizations (organization_id, why) values (${organizationId}, ${why})
    on conflict (organization_id) do update set why = held_organizations.why
    returning why`,
)

const updateGone = statement(
  ({ organizationId }: Given<object>) => sql<object>`
    update held_organizations set why = 'gone'
    where organization_id = ${organizationId} and why <> 'arriving'
    returning organization_id`,
)

const tellGone = statement(
  ({ organizationId }: Given<object>) => sql`
    select from (select pg_notify(${sql.lit(GONE_CHANNEL)}, ${organizationId}::text)) as told`,
)

const updateLedHere = statement(
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

const reason = statement(({ organizationId }: Given<object>) =>
  build
    .selectFrom('held_organizations')
    .select(sql<HoldReason>`why`.as('why'))
    .where('organization_id', '=', organizationId),
)

/** Answers why it is held: as was asked, unless it was held before. */
export async function insertHold(db: OrganizationDb, why: HoldReason): Promise<HoldReason> {
  const [[row]] = await db.run(insert({ why }))
  return row?.why ?? why
}

/** False if it is not held, or is about to arrive. */
export async function updateToGone(db: OrganizationDb): Promise<boolean> {
  const [rows] = await db.run(updateGone({}), tellGone({}))
  return rows.length > 0
}

/** Nothing happens if it is not about to arrive. */
export async function updateToLedHere(db: OrganizationDb): Promise<void> {
  await db.run(updateLedHere({}))
}

/** False if it was not held for this reason. */
export async function deleteHold(db: OrganizationDb, why: HoldReason): Promise<boolean> {
  const [rows] = await db.run(remove({ why }))
  return rows.length > 0
}

/** Undefined if it is not held. */
export async function selectReason(db: OrganizationDb): Promise<HoldReason | undefined> {
  const [[row]] = await db.run(reason({}))
  return row?.why
}

/**
 * Who may have written, not having seen a hold. Whoever writes to a table has a lock on it that
 * says so, from before the barrier is asked to the end of the transaction, and anybody may see
 * that. Without one nothing has been written, and the barrier, which is asked after the lock was
 * taken, will refuse it; so readers are left alone, however long they take. For whom somebody
 * writes cannot be seen. A superuser's are left out: the service runs as none.
 */
const transactions = sql`
  select distinct locks.virtualtransaction as name, locks.pid
  from pg_locks locks
  join pg_trigger barrier on barrier.tgrelid = locks.relation and barrier.tgname = 'refuse_while_held'
  join pg_stat_activity activity on activity.pid = locks.pid and activity.datname = current_database()
  join pg_roles roles on roles.oid = activity.usesysid and not roles.rolsuper
  where locks.locktype = 'relation' and locks.granted and locks.mode = 'RowExclusiveLock'
    and locks.database = (select oid from pg_database where datname = current_database())
    and locks.pid <> pg_backend_pid()`

const underWay = statement(
  (_: Given<object>) => sql<{ name: string }>`select name from (${transactions}) as one`,
)

const remaining = statement(
  ({ names }: Given<{ names: string[] }>) => sql<{ name: string }>`
    select name from (${transactions}) as one where name = any (${names}::text[])`,
)

// Nobody is told to end before it is known who: in a condition, Postgres might ask it of everybody first.
const terminate = statement(
  ({ names }: Given<{ names: string[] }>) => sql<object>`
    with hanging as materialized (
      select pid from (${transactions}) as one where name = any (${names}::text[])
    )
    select pg_terminate_backend(pid) from hanging`,
)

/** The names of the transactions that write in this database. */
export async function selectTransactions(database: Database): Promise<string[]> {
  return (await database.ask(underWay({}))).map(({ name }) => name)
}

/** Those of them that have not ended. */
export async function selectRemaining(
  database: Database,
  names: readonly string[],
): Promise<string[]> {
  return (await database.ask(remaining({ names: [...names] }))).map(({ name }) => name)
}

/** Ends connections: what they had not committed has not happened. */
export async function terminateTransactions(
  database: Database,
  names: readonly string[],
): Promise<void> {
  await database.ask(terminate({ names: [...names] }))
}

/**
 * Logical replication of one organization's rows. The database that it leaves publishes them, the
 * one that it goes to subscribes: Postgres copies what is there, then follows what changes, until
 * it is told to stop. All three things that this takes bear one name: the publication and the slot
 * at the source, the subscription at the destination. Postgres applies as a superuser and as a
 * replica: policies do not bind it, and foreign keys and the fence of a held organization do not
 * stand in its way.
 */
import { sql } from 'kysely'
import type { OrganizationId } from '../../../kernel/ids.ts'
import { Database } from '../../../platform/db/database.ts'
import { type Given, type Query, statement } from '../../../platform/db/statement.ts'
import type { MovedTable } from './moved-tables.store.ts'

/** An organization's id has only letters and digits, so this needs no quotes. */
const nameOf = (id: OrganizationId) => `reelkeep_move_${id}`

/** Commands about publications and subscriptions take no parameters, so their text is written for each. */
const command = (text: string): Query<object> => ({ name: '', text, values: () => [] })

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`

const published =
  (id: OrganizationId) =>
  ({ name, column, columns }: MovedTable) =>
    `${name}${columns ? ` (${columns.join(', ')})` : ''} where (${column} = ${quoted(id)})`

type Named = { readonly name: string }

const publication = statement(
  ({ name }: Given<Named>) => sql<object>`select from pg_publication where pubname = ${name}`,
)

/** A table that is emptied as a whole would be emptied at the other end for everybody, so that is not published. */
export async function createPublication(
  source: Database,
  id: OrganizationId,
  tables: readonly MovedTable[],
): Promise<void> {
  const name = nameOf(id)
  if ((await source.ask(publication({ name }))).length > 0) return
  const what = tables.map(published(id)).join(', ')
  const how = `publish = 'insert, update, delete', publish_via_partition_root = true`
  await source.ask(command(`create publication ${name} for table ${what} with (${how})`))
}

export async function dropPublication(source: Database, id: OrganizationId): Promise<void> {
  await source.ask(command(`drop publication if exists ${nameOf(id)}`))
}

const subscription = statement(
  ({ name }: Given<Named>) => sql<object>`
    select from pg_subscription where subname = ${name}
      and subdbid = (select oid from pg_database where datname = current_database())`,
)

export async function hasSubscription(destination: Database, id: OrganizationId): Promise<boolean> {
  return (await destination.ask(subscription({ name: nameOf(id) }))).length > 0
}

/**
 * The statement has the password of the other database in it, so it must not stand in the log,
 * whether it fails or takes long, nor among the statistics of statements. (Postgres takes a setting
 * of an extension that it has not loaded.)
 */
const UNLOGGED = [
  'log_min_error_statement=panic',
  'log_statement=none',
  'log_min_duration_statement=-1',
  'log_min_duration_sample=-1',
  'log_transaction_sample_rate=0',
  'log_duration=off',
  'pg_stat_statements.track_utility=off',
]
  .map((setting) => `-c ${setting}`)
  .join(' ')

/** To subscribe takes as long as the longest transaction of the other database. */
const SUBSCRIBE_SECONDS_MAX = 600

/** From now on Postgres works by itself, whatever becomes of us. */
export async function createSubscription(
  destinationUrl: string,
  id: OrganizationId,
  sourceUrl: string,
): Promise<void> {
  const url = new URL(destinationUrl)
  url.searchParams.set('options', UNLOGGED)
  const options = { connectionsMax: 2, statementTimeoutSeconds: SUBSCRIBE_SECONDS_MAX }
  await using destination = new Database({ url: url.href, ...options }, () => {})
  const name = nameOf(id)
  const what = `connection ${quoted(sourceUrl)} publication ${name}`
  await destination.ask(command(`create subscription ${name} ${what}`))
}

/** Ends it, and the slot at the source with it. */
export async function dropSubscription(destination: Database, id: OrganizationId): Promise<void> {
  await destination.ask(command(`drop subscription if exists ${nameOf(id)}`))
}

export type SyncState = {
  readonly tables: number
  readonly tablesReady: number
  /** Somebody works on it at the moment. */
  readonly isWorking: boolean
}

const sync = statement(
  ({ name }: Given<Named>) => sql<SyncState>`
    select count(*)::int as tables, count(*) filter (where srsubstate = 'r')::int as "tablesReady",
      exists (select from pg_stat_subscription stat where stat.subname = ${name} and stat.pid is not null) as "isWorking"
    from pg_subscription sub join pg_subscription_rel rel on rel.srsubid = sub.oid
    where subname = ${name}`,
)

export async function selectSync(
  destination: Database,
  id: OrganizationId,
): Promise<SyncState | undefined> {
  return (await destination.ask(sync({ name: nameOf(id) })))[0]
}

const slot = statement(
  ({ name }: Given<Named>) => sql<{ isActive: boolean }>`
    select active as "isActive" from pg_replication_slots
    where slot_name = ${name} and database = current_database()`,
)

const dropping = statement(
  ({ name }: Given<Named>) => sql<object>`
    select pg_drop_replication_slot(slot_name) from pg_replication_slots
    where slot_name = ${name} and database = current_database() and not active`,
)

/**
 * A slot that no subscription knows of, because who made it was killed, would keep the source's
 * journal for ever. False if somebody still uses it.
 */
export async function dropStraySlot(source: Database, id: OrganizationId): Promise<boolean> {
  const name = nameOf(id)
  await source.ask(dropping({ name }))
  return (await source.ask(slot({ name }))).length === 0
}

const position = statement(
  (_: Given<object>) =>
    sql<{ position: string }>`select pg_current_wal_insert_lsn()::text as position`,
)

/** How far the journal has come: whoever has replayed it up to here has all that was committed. */
export async function journalPosition(source: Database): Promise<string> {
  const [row] = await source.ask(position({}))
  if (!row) throw new Error('Postgres does not say how far its journal has come')
  return row.position
}

const reached = statement(
  ({ name, until }: Given<Named & { until: string }>) => sql<{ isReached: boolean }>`
    select confirmed_flush_lsn >= ${until}::pg_lsn as "isReached" from pg_replication_slots
    where slot_name = ${name} and database = current_database()`,
)

/** Whether all up to this position lies at the destination, on its disk. */
export async function hasReplayed(
  source: Database,
  id: OrganizationId,
  until: string,
): Promise<boolean> {
  return (await source.ask(reached({ name: nameOf(id), until })))[0]?.isReached ?? false
}

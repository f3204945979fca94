/**
 * Logical replication of one organization's rows. The source database publishes them, the destination subscribes:
 * Postgres copies existing rows, then replicates changes until stopped. The publication and the slot at the source and
 * the subscription at the destination have the same name. Postgres applies the changes as a superuser and as a replica:
 * row-level security, foreign keys and the write block of a suspended organization do not apply.
 */
import { sql } from 'kysely'
import type { OrganizationId } from '../../../kernel/ids.ts'
import { Database } from '../../../platform/db/database.ts'
import { type Given, type Query, statement } from '../../../platform/db/statement.ts'
import type { MovedTable } from './moved-tables.store.ts'

/** Name of the publication, slot and subscription. It needs no quotes: ids have only letters and digits. */
const nameOf = (id: OrganizationId) => `reelkeep_move_${id}`

/** Commands for publications and subscriptions accept no bind parameters, so their text contains the values. */
const command = (text: string): Query<object> => ({ name: '', text, values: () => [] })

const quoteLiteral = (text: string) => `'${text.replaceAll("'", "''")}'`

const published =
  (id: OrganizationId) =>
  ({ name, column, columns }: MovedTable) =>
    `${name}${columns ? ` (${columns.join(', ')})` : ''} where (${column} = ${quoteLiteral(id)})`

type Named = { readonly name: string }

const publication = statement(
  ({ name }: Given<Named>) => sql<object>`select from pg_publication where pubname = ${name}`,
)

/** Publishes no TRUNCATE, which would empty the table at the destination for all organizations. */
export async function createPublication(
  source: Database,
  id: OrganizationId,
  tables: readonly MovedTable[],
): Promise<void> {
  const name = nameOf(id)
  if ((await source.runUnscoped(publication({ name }))).length > 0) return
  const what = tables.map(published(id)).join(', ')
  const how = `publish = 'insert, update, delete', publish_via_partition_root = true`
  await source.runUnscoped(command(`create publication ${name} for table ${what} with (${how})`))
}

export async function dropPublication(source: Database, id: OrganizationId): Promise<void> {
  await source.runUnscoped(command(`drop publication if exists ${nameOf(id)}`))
}

const subscription = statement(
  ({ name }: Given<Named>) => sql<object>`
    select from pg_subscription where subname = ${name}
      and subdbid = (select oid from pg_database where datname = current_database())`,
)

export async function hasSubscription(destination: Database, id: OrganizationId): Promise<boolean> {
  return (await destination.runUnscoped(subscription({ name: nameOf(id) }))).length > 0
}

/**
 * CREATE SUBSCRIPTION contains the password of the other database, so it must not be logged, whether it fails or is
 * slow, nor appear in pg_stat_statements. (Postgres accepts settings of an extension that is not loaded.)
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

/** Maximum time for creating a subscription, which waits for the running transactions of the other database. */
const SUBSCRIBE_SECONDS_MAX = 600

/** Subscribes the destination to the source. From then on Postgres replicates by itself, even if this process ends. */
export async function createSubscription(destinationUrl: string, id: OrganizationId, sourceUrl: string): Promise<void> {
  const url = new URL(destinationUrl)
  url.searchParams.set('options', UNLOGGED)
  const options = { connectionsMax: 2, statementTimeoutSeconds: SUBSCRIBE_SECONDS_MAX }
  await using destination = new Database({ url: url.href, ...options }, () => {})
  const name = nameOf(id)
  const what = `connection ${quoteLiteral(sourceUrl)} publication ${name}`
  await destination.runUnscoped(command(`create subscription ${name} ${what}`))
}

/** Drops the subscription and the slot at the source. */
export async function dropSubscription(destination: Database, id: OrganizationId): Promise<void> {
  await destination.runUnscoped(command(`drop subscription if exists ${nameOf(id)}`))
}

export type SyncState = {
  readonly tables: number
  readonly tablesReady: number
  /** Whether a replication worker is running. */
  readonly isWorking: boolean
}

const sync = statement(
  ({ name }: Given<Named>) => sql<SyncState>`
    select count(*)::int as tables, count(*) filter (where srsubstate = 'r')::int as "tablesReady",
      exists (select from pg_stat_subscription stat where stat.subname = ${name} and stat.pid is not null) as "isWorking"
    from pg_subscription sub join pg_subscription_rel rel on rel.srsubid = sub.oid
    where subname = ${name}`,
)

export async function selectSync(destination: Database, id: OrganizationId): Promise<SyncState | undefined> {
  return (await destination.runUnscoped(sync({ name: nameOf(id) })))[0]
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
 * Drops a slot without a subscription, left by a killed process, which would retain the source's WAL forever. Returns
 * false if the slot is still in use.
 */
export async function dropStraySlot(source: Database, id: OrganizationId): Promise<boolean> {
  const name = nameOf(id)
  await source.runUnscoped(dropping({ name }))
  return (await source.runUnscoped(slot({ name }))).length === 0
}

const position = statement(
  (_: Given<object>) => sql<{ position: string }>`select pg_current_wal_insert_lsn()::text as position`,
)

/** The current WAL position: once replayed up to here, everything committed has arrived. */
export async function walPosition(source: Database): Promise<string> {
  const [row] = await source.runUnscoped(position({}))
  if (!row) throw new Error('Postgres returned no WAL position')
  return row.position
}

const reached = statement(
  ({ name, until }: Given<Named & { until: string }>) => sql<{ isReached: boolean }>`
    select confirmed_flush_lsn >= ${until}::pg_lsn as "isReached" from pg_replication_slots
    where slot_name = ${name} and database = current_database()`,
)

/** Whether everything up to this position is flushed at the destination. */
export async function hasReplayed(source: Database, id: OrganizationId, until: string): Promise<boolean> {
  return (await source.runUnscoped(reached({ name: nameOf(id), until })))[0]?.isReached ?? false
}

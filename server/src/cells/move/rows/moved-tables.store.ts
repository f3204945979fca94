/** The tables of organizations, read from the database catalog: a table added later is included automatically. */
import { sql } from 'kysely'
import type { OrganizationId } from '../../../kernel/ids.ts'
import type { SuspensionReason } from '../../../modules/suspension/suspension.ts'
import type { Database } from '../../../platform/db/database.ts'
import { type Given, type Query, statement } from '../../../platform/db/statement.ts'

export type MovedTable = {
  readonly name: string
  /** The column of the organization id. */
  readonly column: string
  /** Columns to copy; null for all. */
  readonly columns: readonly string[] | null
}

// Suspensions are not copied: each cell has its own. The version of a source file is not copied either, because the
// file has another version id in the destination's storage; it is null there until it is linked (version-links.ts).
const tables = statement(
  (_: Given<object>) => sql<MovedTable>`
    select relation.oid::regclass::text as name,
      case relname when 'organizations' then 'id' else 'organization_id' end as column,
      case relname when 'assets' then (
        select array_agg(quote_ident(attname) order by attnum) from pg_attribute
        where attrelid = relation.oid and attnum > 0 and not attisdropped
          and attname not in ('source_version', 'source_etag')
      ) end as columns
    from pg_class relation
    where relkind in ('r', 'p') and not relispartition and relnamespace = 'public'::regnamespace
      and relname <> 'held_organizations'
      and (relname = 'organizations' or exists (
        select from pg_attribute where attrelid = relation.oid and attname = 'organization_id' and not attisdropped))
    order by relname`,
)

export const selectMovedTables = (database: Database): Promise<MovedTable[]> => database.runUnscoped(tables({}))

export type CountedTable = MovedTable & { readonly rows: number }

/** Counts the organization's rows of a table; one query per table, so that a slow one does not fail the others. */
const counting = ({ name, column }: MovedTable): Query<{ rows: number }> => ({
  name: '',
  text: `select count(*)::int8 as rows from ${name} where ${column} = $1`,
  values: (id) => [id],
  needsDedicatedConnection: true,
})

export async function countRows(
  database: Database,
  id: OrganizationId,
  tablesCounted: readonly MovedTable[],
): Promise<CountedTable[]> {
  const db = database.forOrganization(id)
  const count = async (table: MovedTable) => {
    const [[row]] = await db.run(counting(table))
    return { ...table, rows: Number(row?.rows ?? 0) }
  }
  return Promise.all(tablesCounted.map(count))
}

/** Hashes the copied columns by value, as text: not every type has a hash function. */
const hashing = ({ name, column, columns }: MovedTable): Query<{ hash: string | null }> => ({
  name: '',
  text: `select sum(hashtextextended((${columns ? `row(${columns.join(', ')})` : 'one'})::text, 0))::text as hash
    from ${name} one where ${column} = $1`,
  values: (id) => [id],
  needsDedicatedConnection: true,
})

/** An order-independent hash of the organization's rows in each table. */
export async function hashRows(
  database: Database,
  id: OrganizationId,
  tablesHashed: readonly MovedTable[],
): Promise<(string | null)[]> {
  const db = database.forOrganization(id)
  const hash = async (table: MovedTable) => (await db.run(hashing(table)))[0][0]?.hash ?? null
  return Promise.all(tablesHashed.map(hash))
}

/** Disables foreign keys and write blocks in the transaction, as on a replica, because all rows are deleted. */
const asReplica: Query<object> = {
  name: '',
  text: `select where set_config('session_replication_role', 'replica', true) is null`,
  values: () => [],
}

/** A table or partition that physically stores rows, so that its ctids are unique. */
export type RowTable = { readonly name: string; readonly column: string }

const rowTables = statement(
  (_: Given<object>) => sql<RowTable>`
    select relation.oid::regclass::text as name,
      case relname when 'organizations' then 'id' else 'organization_id' end as column
    from pg_class relation
    where relkind = 'r' and relnamespace in ('public'::regnamespace, 'event_weeks'::regnamespace)
      and relname <> 'held_organizations'
      and (relname = 'organizations' or exists (
        select from pg_attribute where attrelid = relation.oid and attname = 'organization_id' and not attisdropped))
    order by relname`,
)

export const selectRowTables = (database: Database): Promise<RowTable[]> => database.runUnscoped(rowTables({}))

const deleting = ({ name, column }: RowTable, limit: number): Query<{ deleted: number }> => ({
  name: '',
  text: `with deleted as (
      delete from ${name} where ctid = any (array(select ctid from ${name} where ${column} = $1 limit ${limit}))
      returning 1)
    select count(*)::int8 as deleted from deleted`,
  values: (id) => [id],
  needsDedicatedConnection: true,
})

type DeletionScope = {
  readonly id: OrganizationId
  readonly why: SuspensionReason
  readonly table: RowTable
  readonly limit: number
}

// Locks the suspension until the transaction that deletes the rows ends.
const lockSuspension = statement(
  ({ organizationId, why }: Given<{ why: SuspensionReason }>) => sql<object>`
    select from held_organizations where organization_id = ${organizationId} and why = ${why} for update`,
)

/**
 * Deletes some of the organization's rows and returns their number. Undefined if the organization is not suspended for
 * this reason.
 */
export function deleteSomeRows(
  database: Database,
  { id, why, table, limit }: DeletionScope,
): Promise<number | undefined> {
  return database.forOrganization(id).transaction(async (tx) => {
    const [suspensions] = await tx.run(lockSuspension({ why }))
    if (suspensions.length === 0) return undefined
    const [, [row]] = await tx.run(asReplica, deleting(table, limit))
    return Number(row?.deleted ?? 0)
  })
}

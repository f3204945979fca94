/**
 * The tables of organizations, as the database itself tells them: one that is added by a migration
 * is moved without anybody thinking of it.
 */
import { sql } from 'kysely'
import type { HoldReason } from '../../../capabilities/holds/holds.ts'
import type { OrganizationId } from '../../../kernel/ids.ts'
import type { Database } from '../../../platform/db/database.ts'
import { type Given, type Query, statement } from '../../../platform/db/statement.ts'

export type MovedTable = {
  readonly name: string
  /** In which the organization stands. */
  readonly column: string
  /** Those that are moved, if not all are. */
  readonly columns: readonly string[] | null
}

// Whether an organization is held is each cell's own affair. And a file has another version in
// another storage, so which one is pinned is decided where it arrives (pins.ts): until then it is
// null there, and no later change of the row brings the old one back.
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

export const selectMovedTables = (database: Database): Promise<MovedTable[]> =>
  database.ask(tables({}))

export type Counted = MovedTable & { readonly rows: number }

/**
 * Rows of the organization in each table; a query of its own for each, so that one that takes too
 * long spoils no other.
 */
const counting = ({ name, column }: MovedTable): Query<{ rows: number }> => ({
  name: '',
  text: `select count(*)::int8 as rows from ${name} where ${column} = $1`,
  values: (id) => [id],
  mayTakeLong: true,
})

export async function countRows(
  database: Database,
  id: OrganizationId,
  tablesCounted: readonly MovedTable[],
): Promise<Counted[]> {
  const db = database.forOrganization(id)
  const count = async (table: MovedTable) => {
    const [[row]] = await db.run(counting(table))
    return { ...table, rows: Number(row?.rows ?? 0) }
  }
  return Promise.all(tablesCounted.map(count))
}

/** Of what is moved, by its values and not by how they are written, which each database decides for itself. */
const hashing = ({ name, column, columns }: MovedTable): Query<{ hash: string | null }> => ({
  name: '',
  text: `select sum(hash_record_extended(${columns ? `row(${columns.join(', ')})` : 'one'}, 0))::text as hash
    from ${name} one where ${column} = $1`,
  values: (id) => [id],
  mayTakeLong: true,
})

/** A hash of all rows of the organization in each table, whatever their order. */
export async function hashRows(
  database: Database,
  id: OrganizationId,
  tablesHashed: readonly MovedTable[],
): Promise<(string | null)[]> {
  const db = database.forOrganization(id)
  const hash = async (table: MovedTable) => (await db.run(hashing(table)))[0][0]?.hash ?? null
  return Promise.all(tablesHashed.map(hash))
}

/** As a replica does: no foreign key and no fence is asked, for all of the organization goes. */
const asReplica: Query<object> = {
  name: '',
  text: `select where set_config('session_replication_role', 'replica', true) is null`,
  values: () => [],
}

/** A part of a table that rows really lie in: a place in it is nowhere else. */
export type RowPlace = { readonly name: string; readonly column: string }

const places = statement(
  (_: Given<object>) => sql<RowPlace>`
    select relation.oid::regclass::text as name,
      case relname when 'organizations' then 'id' else 'organization_id' end as column
    from pg_class relation
    where relkind = 'r' and relnamespace in ('public'::regnamespace, 'event_weeks'::regnamespace)
      and relname <> 'held_organizations'
      and (relname = 'organizations' or exists (
        select from pg_attribute where attrelid = relation.oid and attname = 'organization_id' and not attisdropped))
    order by relname`,
)

export const selectRowPlaces = (database: Database): Promise<RowPlace[]> => database.ask(places({}))

const deleting = ({ name, column }: RowPlace, limit: number): Query<{ deleted: number }> => ({
  name: '',
  text: `with doomed as (
      delete from ${name} where ctid = any (array(select ctid from ${name} where ${column} = $1 limit ${limit}))
      returning 1)
    select count(*)::int8 as deleted from doomed`,
  values: (id) => [id],
  mayTakeLong: true,
})

type Doomed = { readonly id: OrganizationId; readonly why: HoldReason }

// Nobody releases it before the rows are gone.
const hold = statement(
  ({ organizationId, why }: Given<{ why: HoldReason }>) => sql<object>`
    select from held_organizations where organization_id = ${organizationId} and why = ${why} for update`,
)

/**
 * Deletes some of the organization's rows; answers how many. Undefined, and none, unless it is held
 * for this reason.
 */
export function deleteSomeRows(
  database: Database,
  { id, why }: Doomed,
  place: RowPlace,
  limit: number,
): Promise<number | undefined> {
  return database.forOrganization(id).transaction(async (tx) => {
    const [held] = await tx.run(hold({ why }))
    if (held.length === 0) return undefined
    const [, [row]] = await tx.run(asReplica, deleting(place, limit))
    return Number(row?.deleted ?? 0)
  })
}

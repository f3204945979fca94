/**
 * A filtered list with two ways to read a page. If matches are rare, finds all of them by the index of the filter and
 * sorts them. If they are common, reads the list in its order and tests row by row, which fills a page quickly.
 *
 * Every statement here uses a custom plan: the best plans for a rare and for a common value differ, and a generic plan
 * suits neither.
 */
import { type RawBuilder, sql } from 'kysely'
import type { OrganizationDb } from '../database.ts'
import { customPlan, type Given, type Query, statement } from '../statement.ts'
import type { PageRequest } from './keyset.ts'
import { type Condition, columnList, fieldsOf, keysetQuery, type Order, type PageWindow } from './keyset-query.ts'

export type FilteredList<Filter extends object, Row> = {
  /** Name of the table or view. It has `organization_id` and the columns of `order`. */
  readonly relation: string
  readonly order: Order
  /** Condition on the rows of the relation, called `listed`, that finds the matches by an index. */
  readonly isMatch: (given: Given<Filter>) => Condition
  /** The table or view that is read in list order; by default `relation`. */
  readonly walked?: string | undefined
  /** Condition that tests one row of `walked`, called `listed`. It may be the same as `isMatch`. */
  readonly isMatchingRow: (given: Given<Filter>) => Condition
  /** Builds the query that returns the rows for the found sort keys. */
  readonly show: (given: Given<Filter>, keys: RawBuilder<unknown>, window: PageWindow) => RawBuilder<Row>
  /** Number of rows in the list without a filter. */
  readonly countAll: (params: object) => Query<{ count: number }>
  /** Counting stops after one more than this number of matches; undefined to count all. */
  readonly countMax?: number
  /** Counts the matches; by default with `isMatch`. */
  readonly count?: ((filter: Filter) => Query<{ count: number }>) | undefined
  /**
   * Estimates the matches before they are counted, rather too many than too few: for a filter whose index finds all of
   * them before the first.
   */
  readonly estimate?: EstimateQueries<Filter> | undefined
}

/** Queries that estimate the matches, the rows of the organization, and those of all organizations. */
type EstimateQueries<Filter> = (
  filter: Filter,
) => readonly [matches: Query<Plan>, own: Query<Plan>, all: Query<{ rows: number }>]

export type FilteredQuery<Filter, Row> = (
  db: OrganizationDb,
  filter: Filter,
  request: PageRequest,
) => Promise<{ readonly rows: readonly Row[]; readonly count: number }>

export function filteredList<Filter extends object, Row>(list: FilteredList<Filter, Row>): FilteredQuery<Filter, Row> {
  const { countAll, countMax = Number.POSITIVE_INFINITY } = list
  const count = customPlan(list.count ?? countStatement(list))
  const { estimate } = list
  const shortWalk = walkStatement(list, ROWS_WALKED_FIRST_MAX)
  const walk = walkStatement(list, ROWS_WALKED_MAX)
  const sort = sortStatement(list)
  return async (db, filter, request) => {
    if (estimate && matchesExpected(await db.run(...estimate(filter))) > MATCHES_FOUND_MAX) {
      const [rows] = await db.run(shortWalk(filter, request))
      if (rows.length > request.limit) return { rows, count: countMax + 1 }
    }
    const [[matches], [all]] = await db.run(count(filter), countAll({}))
    const found = { matches: matches?.count ?? 0, total: all?.count ?? 0 }
    if (found.matches > countMax || areMatchesCommon(found.matches, found.total, request.limit)) {
      const [rows] = await db.run(walk(filter, request))
      if (rows.length > request.limit) return { rows, count: found.matches }
    }
    // Sorts all matches, because they are rare or too far away from the position.
    const [rows] = await db.run(sort(filter, request))
    return { rows, count: found.matches }
  }
}

/** With more expected matches, a page is read in list order before the index is tried. */
const MATCHES_FOUND_MAX = 100_000

/** Rows that are read in list order because of an estimate: few, because the estimate may be far too high. */
const ROWS_WALKED_FIRST_MAX = 20_000

/** Rows that are read in list order before all matches are sorted instead. */
const ROWS_WALKED_MAX = 250_000

/** Reading the list in its order is always cheap if a page is filled within this many rows. */
const ROWS_EXPECTED_MAX = 5000

/**
 * Whether to read the list in its order to find a page of matches. `matches` of `total` rows match. If they are evenly
 * distributed, this reads fewer rows than there are matches to sort.
 */
export function areMatchesCommon(matches: number, total: number, pageSize: number): boolean {
  return matches > 0 && (pageSize * total) / matches <= Math.max(ROWS_EXPECTED_MAX, matches)
}

/** The result of `explain`. */
type Plan = { readonly 'QUERY PLAN': readonly [{ readonly Plan: { readonly 'Plan Rows': number } }] }

const rowsExpected = (plan: Plan | undefined) => plan?.['QUERY PLAN'][0].Plan['Plan Rows'] ?? 0

/**
 * Postgres multiplies the part of the rows that the organization has and the part that the filter finds, as if they
 * were independent. But only rows of the organization have its grams, so the first part does not count.
 */
function matchesExpected([[matches], [own], [all]]: readonly [Plan[], Plan[], { rows: number }[]]): number {
  return (rowsExpected(matches) * Math.max(all?.rows ?? 0, 1)) / Math.max(rowsExpected(own), 1)
}

/** Estimates the matches of a condition on grams from the statistics of Postgres, without reading a row. */
export function estimateStatement<Filter extends object, Row>({
  relation,
  table,
  isMatch,
}: Pick<FilteredList<Filter, Row>, 'relation' | 'isMatch'> & { readonly table: string }): EstimateQueries<Filter> {
  const rowsOf = (isCounted: (given: Given<Filter>) => Condition) =>
    customPlan(
      statement(
        (given: Given<Filter>) => sql<Plan>`
          explain (format json) select from ${sql.table(relation)} as listed
          where listed.organization_id = ${given.organizationId} and ${isCounted(given)}`,
      ),
    )
  const matches = rowsOf(isMatch)
  const own = rowsOf(() => sql<boolean>`true`)
  const all = statement(
    (_: Given<object>) => sql<{ rows: number }>`
      select reltuples as rows from pg_class where oid = ${sql.lit(table)}::regclass`,
  )
  return (filter) => [matches(filter), own(filter), all({})]
}

/** Counts the matches, at most one more than `countMax`. */
export function countStatement<Filter extends object, Row>({
  relation,
  isMatch,
  countMax,
}: Pick<FilteredList<Filter, Row>, 'relation' | 'isMatch' | 'countMax'>) {
  return statement((given: Given<Filter>) => {
    const matches = sql`
      from ${sql.table(relation)} as listed where listed.organization_id = ${given.organizationId} and ${isMatch(given)}`
    return countMax === undefined
      ? sql<{ count: number }>`select count(*) as count ${matches}`
      : sql<{ count: number }>`
          select count(*) as count from (select ${matches} limit ${sql.lit(countMax + 1)}) as counted`
  })
}

/**
 * Reads a bounded number of rows in list order. `is true` does not change the result; it keeps Postgres from turning
 * the row condition into a join.
 */
function walkStatement<Filter extends object, Row>(list: FilteredList<Filter, Row>, rowsMax: number) {
  const { relation, walked = relation, order, isMatchingRow, show } = list
  return customPlan(
    keysetQuery(order, (given: Given<Filter>, window) => {
      const keys = sql`
        select ${columnList(fieldsOf(order))}
        from (
          select * from ${sql.table(walked)}
          where organization_id = ${given.organizationId} and ${window.afterPosition}
          ${window.order} limit ${sql.lit(rowsMax)}
        ) as listed
        where (${isMatchingRow(given)}) is true
        ${window.order} limit ${window.limit}`
      return show(given, keys, window)
    }),
  )
}

/** Finds all matches, then sorts them: fast if matches are rare. */
function sortStatement<Filter extends object, Row>({ relation, order, isMatch, show }: FilteredList<Filter, Row>) {
  const fields = columnList(fieldsOf(order))
  return customPlan(
    keysetQuery(order, (given: Given<Filter>, window) => {
      const keys = sql`
        with matches as materialized (
          select ${fields} from ${sql.table(relation)} as listed
          where organization_id = ${given.organizationId} and ${isMatch(given)} and ${window.afterPosition}
        )
        select ${fields} from matches ${window.order} limit ${window.limit}`
      return show(given, keys, window)
    }),
  )
}

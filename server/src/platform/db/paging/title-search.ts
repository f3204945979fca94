/**
 * Title search in a view with a GIN index on grams (see the folders migration).
 *
 * Every statement here uses a custom plan: the best plans for "invoice" and "xylophone" differ, and a
 * generic plan suits neither.
 */
import { type RawBuilder, sql } from 'kysely'
import type { Needle } from '../../../kernel/search-text.ts'
import type { OrganizationDb } from '../database.ts'
import { customPlan, type Given, type Query, statement } from '../statement.ts'
import type { PageRequest } from './keyset.ts'
import {
  type Condition,
  columnList,
  keysetQuery,
  type Order,
  type PageWindow,
  type RowsWithCount,
} from './keyset-query.ts'

export type SearchedList<Filter extends object, Row> = {
  /** Name of the view. It has the columns of `order`, and `organization_id`, `search_title` and `grams`. */
  readonly view: string
  readonly order: Order
  /** Condition on the view's rows. */
  readonly isWanted: (given: Given<Filter>) => Condition
  /** Builds the query that returns the rows for the found sort keys. */
  readonly show: (given: Given<Filter>, keys: RawBuilder<unknown>, window: PageWindow) => RawBuilder<Row>
  /** Number of rows in the list without a filter. */
  readonly countAll: (params: object) => Query<{ count: number }>
}

export type TitleSearch<Filter, Row> = (
  db: OrganizationDb,
  needle: Needle,
  filter: Filter,
  request: PageRequest,
) => Promise<RowsWithCount<Row>>

export function titleSearch<Filter extends object, Row>(list: SearchedList<Filter, Row>): TitleSearch<Filter, Row> {
  const probe = probeStatement(list)
  const byGrams = sortStatements(list, hasGrams)
  const byText = sortStatements(list, hasText)
  return async (db, needle, filter, request) => {
    const search = { ...filter, ...needle }
    const { sort, count } = needle.grams.length > 0 ? byGrams : byText
    const [[matches], [all]] = await db.run(count(search), list.countAll({}))
    const found = { matches: matches?.count ?? 0, total: all?.count ?? 0 }
    if (areMatchesCommon(found.matches, found.total, request.limit)) {
      const [rows] = await db.run(probe(search, request))
      if (rows.length > request.limit) return { rows, count: found.matches }
    }
    // Sorts all matches, because they are rare or too far away from the position.
    const [rows] = await db.run(sort(search, request))
    return { rows, count: found.matches }
  }
}

/** Rows that a search for common matches reads in list order before it sorts all matches instead. */
const ROWS_PROBED_MAX = 250_000

/** Matches are common if, evenly distributed, they would fill a page within this many rows. */
const ROWS_EXPECTED_MAX = 5000

/** Whether to read the list in its order to find a page of matches. `matches` of `total` rows match. */
export function areMatchesCommon(matches: number, total: number, pageSize: number): boolean {
  return matches > 0 && (pageSize * total) / matches <= ROWS_EXPECTED_MAX
}

type Matching = (given: Given<Needle>, isWanted: Condition) => Condition

const hasText: Matching = ({ organizationId, text }, isWanted) => sql`
  organization_id = ${organizationId} and strpos(search_title, ${text}) > 0 and ${isWanted}`

const hasGrams: Matching = (given, isWanted) => sql`grams @> ${given.grams}::integer[] and ${hasText(given, isWanted)}`

/**
 * Reads a bounded number of rows in list order, which fills a page quickly if matches are common. `is true` does
 * not change the result; it keeps Postgres from turning the row condition into a join.
 */
function probeStatement<Filter extends object, Row>(list: SearchedList<Filter, Row>) {
  const { view, order, isWanted, show } = list
  return customPlan(
    keysetQuery(order, (given: Given<Filter & Needle>, window) => {
      const keys = sql`
        select ${columnList(order.columns)}
        from (
          select * from ${sql.table(view)}
          where organization_id = ${given.organizationId} and ${window.afterPosition}
          ${window.order} limit ${sql.lit(ROWS_PROBED_MAX)}
        ) as probed
        where ${hasText(given, sql`(${isWanted(given)}) is true`)}
        ${window.order} limit ${window.limit}`
      return show(given, keys, window)
    }),
  )
}

/** Finds all matches, then sorts them: fast if matches are rare. */
function sortStatements<Filter extends object, Row>(
  { view, order, isWanted, show }: SearchedList<Filter, Row>,
  isMatch: Matching,
) {
  const columns = columnList(order.columns)
  const sort = keysetQuery(order, (given: Given<Filter & Needle>, window) => {
    const keys = sql`
      with matches as materialized (
        select ${columns} from ${sql.table(view)}
        where ${isMatch(given, isWanted(given))} and ${window.afterPosition}
      )
      select ${columns} from matches ${window.order} limit ${window.limit}`
    return show(given, keys, window)
  })
  const count = statement(
    (given: Given<Filter & Needle>) => sql<{ count: number }>`
      select count(*) as count from ${sql.table(view)} where ${isMatch(given, isWanted(given))}`,
  )
  return { sort: customPlan(sort), count: customPlan(count) }
}

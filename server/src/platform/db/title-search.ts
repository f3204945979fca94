/**
 * Searching titles, in a view whose rows may be found by their grams (see the folders migration).
 *
 * Every statement here is planned anew each time it runs: how best to find "invoice" and "xylophone" is
 * not the same, and a plan made for any needle suits neither.
 */
import { type RawBuilder, sql } from 'kysely'
import type { Needle } from '../../kernel/search-text.ts'
import type { OrganizationDb } from './database.ts'
import type { PageRequest } from './keyset.ts'
import {
  type Condition,
  type Found,
  listed,
  type Order,
  readingOf,
  type Stretch,
} from './reading.ts'
import { type Given, planAnew, type Query, statement } from './statement.ts'

export type SearchedList<Filter extends object, Row> = {
  /** With the columns of the order, `organization_id`, `search_title` and `grams`. */
  readonly view: string
  readonly order: Order
  /** Which of the view's rows are searched. */
  readonly isWanted: (given: Given<Filter>) => Condition
  /** Makes rows of the sort keys that were found. */
  readonly show: (
    given: Given<Filter>,
    keys: RawBuilder<unknown>,
    stretch: Stretch,
  ) => RawBuilder<Row>
  /** How many rows the list has that a search without a filter looks at. */
  readonly countAll: (params: object) => Query<{ count: number }>
}

export type TitleSearch<Filter, Row> = (
  db: OrganizationDb,
  needle: Needle,
  filter: Filter,
  request: PageRequest,
) => Promise<Found<Row>>

export function titleSearch<Filter extends object, Row>(
  list: SearchedList<Filter, Row>,
): TitleSearch<Filter, Row> {
  const probe = probing(list)
  const byGrams = sorting(list, hasGrams)
  const byText = sorting(list, hasText)
  return async (db, needle, filter, request) => {
    const search = { ...filter, ...needle }
    const { sort, count } = needle.grams.length > 0 ? byGrams : byText
    const [[matches], [all]] = await db.run(count(search), list.countAll({}))
    const found = { matches: matches?.count ?? 0, total: all?.count ?? 0 }
    if (areCommon(found.matches, found.total, request.limit)) {
      const [rows] = await db.run(probe(search, request))
      if (rows.length > request.limit) return { rows, count: found.matches }
    }
    // They are few, or lie too far on after all.
    const [rows] = await db.run(sort(search, request))
    return { rows, count: found.matches }
  }
}

/** How far a search reads the list for a page of common matches before it sorts all of them instead. */
const ROWS_PROBED_MAX = 250_000

/** Matches are common when, lying evenly, they would fill a page within this many rows of the list. */
const ROWS_EXPECTED_MAX = 5000

/** Whether to look for a page of matches in the list itself. `matches` of `total` rows match. */
export function areCommon(matches: number, total: number, pageSize: number): boolean {
  return matches > 0 && (pageSize * total) / matches <= ROWS_EXPECTED_MAX
}

type Matching = (given: Given<Needle>, isWanted: Condition) => Condition

const hasText: Matching = ({ organizationId, text }, isWanted) => sql`
  organization_id = ${organizationId} and strpos(search_title, ${text}) > 0 and ${isWanted}`

const hasGrams: Matching = (given, isWanted) =>
  sql`grams @> ${given.grams}::integer[] and ${hasText(given, isWanted)}`

/**
 * Reads the list in its own order, a bounded way: fills a page at once when matches are common. "Is true" changes
 * no answer; it keeps Postgres from turning the condition on each row into a join with all that it names.
 */
function probing<Filter extends object, Row>(list: SearchedList<Filter, Row>) {
  const { view, order, isWanted, show } = list
  return planAnew(
    readingOf(order, (given: Given<Filter & Needle>, stretch) => {
      const keys = sql`
        select ${listed(order.columns)}
        from (
          select * from ${sql.table(view)}
          where organization_id = ${given.organizationId} and ${stretch.isAhead}
          ${stretch.order} limit ${sql.lit(ROWS_PROBED_MAX)}
        ) as probed
        where ${hasText(given, sql`(${isWanted(given)}) is true`)}
        ${stretch.order} limit ${stretch.limit}`
      return show(given, keys, stretch)
    }),
  )
}

/** Finds every match first and sorts them: quick when they are few, whatever lies around them. */
function sorting<Filter extends object, Row>(
  { view, order, isWanted, show }: SearchedList<Filter, Row>,
  isMatch: Matching,
) {
  const columns = listed(order.columns)
  const sort = readingOf(order, (given: Given<Filter & Needle>, stretch) => {
    const keys = sql`
      with matches as materialized (
        select ${columns} from ${sql.table(view)}
        where ${isMatch(given, isWanted(given))} and ${stretch.isAhead}
      )
      select ${columns} from matches ${stretch.order} limit ${stretch.limit}`
    return show(given, keys, stretch)
  })
  const count = statement(
    (given: Given<Filter & Needle>) => sql<{ count: number }>`
      select count(*) as count from ${sql.table(view)} where ${isMatch(given, isWanted(given))}`,
  )
  return { sort: planAnew(sort), count: planAnew(count) }
}

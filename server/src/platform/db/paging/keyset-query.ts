/** Keyset pagination in SQL: compiles the statements of a list and picks the one for a page request. */
import { type RawBuilder, sql } from 'kysely'
import { type Description, type Given, type Query, statement } from '../statement.ts'
import { type PageRequest, rowsToFetch } from './keyset.ts'

export type Condition = RawBuilder<boolean>

/** ORDER BY these columns or expressions, all in one direction; the last makes the order unique. */
export type Order = {
  readonly columns: readonly [string, ...string[]]
  /** The columns that `columns` are computed from, if some of them are expressions. */
  readonly fields?: readonly string[]
  readonly direction: 'asc' | 'desc'
  /** Columns that are equal in all rows of the list, so that an index that begins with them is used. */
  readonly prefixColumns?: readonly string[]
}

/** The SQL of one page: the rows after the request's position, in reading order. */
export type PageWindow = {
  readonly afterPosition: Condition
  readonly order: RawBuilder<unknown>
  readonly limit: number
}

/** Rows of a page, one more than it shows, and the number of rows on all pages. */
export type RowsWithCount<Row> = { readonly rows: readonly Row[]; readonly count: number }

export type KeysetQuery<Params, Row> = (params: Params, request: PageRequest) => Query<Row>

/**
 * Compiles four statements: from the start, from the end, after a position, and before a position.
 * `describe` returns the query; it must apply the window's condition, order and limit.
 */
export function keysetQuery<Params extends object, Row>(
  { columns, direction, prefixColumns = [] }: Order,
  describe: (given: Given<Params>, window: PageWindow) => Description<Row>,
): KeysetQuery<Params, Row> {
  const variant = (isBackwards: boolean, hasPosition: boolean) =>
    statement((given: Given<Params & Edge>) => {
      const isAscending = (direction === 'asc') !== isBackwards
      const afterPosition = hasPosition ? isPast(columns, isAscending, given) : allRows
      return describe(given, {
        afterPosition,
        order: orderBy([...prefixColumns, ...columns], isAscending),
        limit: given.limit,
      })
    })
  const forwards = { fromStart: variant(false, false), fromPosition: variant(false, true) }
  const backwards = { fromStart: variant(true, false), fromPosition: variant(true, true) }
  return (params, request) => {
    const { direction, key = [] } = request.position ?? {}
    const { fromStart, fromPosition } = direction === 'before' ? backwards : forwards
    const limit = rowsToFetch(request)
    if (key.length !== columns.length) return fromStart({ ...params, limit })
    return fromPosition({ ...params, ...edgeParameters(key), limit })
  }
}

export const toRowsWithCount = <Row>([rows, [total]]: readonly [
  readonly Row[],
  readonly { readonly count: number }[],
]): RowsWithCount<Row> => ({ rows, count: total?.count ?? 0 })

/** The sort key of the position's row, one parameter per column. */
type EdgeName = `edge${number}`
type Edge = { readonly limit: number; readonly [name: EdgeName]: string }

const edgeName = (index: number): EdgeName => `edge${index}`

const edgeParameters = (key: readonly string[]) =>
  Object.fromEntries(key.map((value, index) => [edgeName(index), value]))

const allRows = sql<boolean>`true`

function isPast(columns: readonly string[], isAscending: boolean, given: Edge): Condition {
  const edge = columns.map((_, index) => sql`${given[edgeName(index)]}`)
  return sql`(${columnList(columns)}) ${sql.raw(isAscending ? '>' : '<')} (${sql.join(edge)})`
}

const orderBy = (columns: readonly string[], isAscending: boolean) =>
  sql`order by ${sql.raw(columns.map((column) => `${column} ${isAscending ? 'asc' : 'desc'}`).join(', '))}`

export const fieldsOf = ({ columns, fields = columns }: Order): readonly string[] => fields

export const columnList = (columns: readonly string[]) => sql.raw(columns.join(', '))

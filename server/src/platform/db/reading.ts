/** Reading a list by position: the statements this takes, and which of them a request needs. */
import { type RawBuilder, sql } from 'kysely'
import { type PageRequest, rowsToFetch } from './keyset.ts'
import { type Description, type Given, type Query, statement } from './statement.ts'

export type Condition = RawBuilder<boolean>

/** These columns, all of them upwards or all downwards; the last makes the order total. */
export type Order = {
  readonly columns: readonly [string, ...string[]]
  readonly direction: 'asc' | 'desc'
  /** Columns in which all rows of the list are alike, for the sake of an index that begins with them. */
  readonly heldBy?: readonly string[]
}

/** The part of a list that a page is read from: it begins at the request's position and goes one way. */
export type Stretch = {
  readonly isAhead: Condition
  readonly order: RawBuilder<unknown>
  readonly limit: number
}

/** What a page needs of the database: its rows, one more than it shows, and how many there are on all pages. */
export type Found<Row> = { readonly rows: readonly Row[]; readonly count: number }

export type Reading<Params, Row> = (params: Params, request: PageRequest) => Query<Row>

/**
 * Compiles the four ways to read a list: from its start or end, onwards from a position, and back from one.
 * `describe` tells what is read; the stretch belongs at the end of it.
 */
export function readingOf<Params extends object, Row>(
  { columns, direction, heldBy = [] }: Order,
  describe: (given: Given<Params>, stretch: Stretch) => Description<Row>,
): Reading<Params, Row> {
  const way = (isBackwards: boolean, isFromEdge: boolean) =>
    statement((given: Given<Params & Edge>) => {
      const isRising = (direction === 'asc') !== isBackwards
      const isAhead = isFromEdge ? isBeyond(columns, isRising, given) : everywhere
      return describe(given, {
        isAhead,
        order: orderBy([...heldBy, ...columns], isRising),
        limit: given.limit,
      })
    })
  const forwards = { fromEnd: way(false, false), fromEdge: way(false, true) }
  const backwards = { fromEnd: way(true, false), fromEdge: way(true, true) }
  return (params, request) => {
    const { direction, key = [] } = request.position ?? {}
    const { fromEnd, fromEdge } = direction === 'before' ? backwards : forwards
    const limit = rowsToFetch(request)
    if (key.length !== columns.length) return fromEnd({ ...params, limit })
    return fromEdge({ ...params, ...edgeAt(key), limit })
  }
}

export const toFound = <Row>([rows, [total]]: readonly [
  readonly Row[],
  readonly { readonly count: number }[],
]): Found<Row> => ({ rows, count: total?.count ?? 0 })

/** The sort key of the row at a page's edge, one parameter for each column. */
type EdgeName = `edge${number}`
type Edge = { readonly limit: number; readonly [name: EdgeName]: string }

const edgeName = (index: number): EdgeName => `edge${index}`

const edgeAt = (key: readonly string[]) =>
  Object.fromEntries(key.map((value, index) => [edgeName(index), value]))

const everywhere = sql<boolean>`true`

function isBeyond(columns: readonly string[], isRising: boolean, given: Edge): Condition {
  const edge = columns.map((_, index) => sql`${given[edgeName(index)]}`)
  return sql`(${listed(columns)}) ${sql.raw(isRising ? '>' : '<')} (${sql.join(edge)})`
}

const orderBy = (columns: readonly string[], isRising: boolean) =>
  sql`order by ${sql.raw(columns.map((column) => `${column} ${isRising ? 'asc' : 'desc'}`).join(', '))}`

export const listed = (columns: readonly string[]) => sql.raw(columns.join(', '))

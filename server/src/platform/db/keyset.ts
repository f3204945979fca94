/**
 * Paging by position, not by number: a cursor holds the sort key of the row at a page's edge, and a page
 * is "the rows after it". So page 10,000 costs what page 1 costs, and rows neither repeat nor vanish
 * while others are inserted.
 */
import { refused } from '../../kernel/errors.ts'

/** The values of a list's ORDER BY, for one row. The last of them makes it unique. */
export type SortKey = readonly string[]

const uuidForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Of a list that is ordered by a UUID alone: with version 7 that is the order of creation. */
export const isUuidKey = ([uuid, ...rest]: SortKey) =>
  uuid !== undefined && uuidForm.test(uuid) && rest.length === 0

/** An empty key stands for the end that is looked away from: after nothing is the start of the list. */
export type Position = {
  readonly direction: 'after' | 'before'
  readonly key: SortKey
}

export type PageRequest = { readonly limit: number; readonly position: Position | undefined }

export type RowPage<Row> = {
  readonly rows: readonly Row[]
  readonly next: Position | null
  readonly previous: Position | null
}

/** A page needs one row more than it shows: that one tells whether there is another page. */
export const rowsToFetch = ({ limit }: PageRequest) => limit + 1

/**
 * Makes a page of the rows found from the position onwards, in the direction of reading: for a page
 * before a position the query reads backwards, and the rows are turned round here.
 */
export function toRowPage<Row>(
  found: readonly Row[],
  request: PageRequest,
  sortKeyOf: (row: Row) => SortKey,
): RowPage<Row> {
  const { limit, position } = request
  const isBackwards = position?.direction === 'before'
  const hasMore = found.length > limit
  const rows = isBackwards ? found.slice(0, limit).reverse() : found.slice(0, limit)
  // Rows that vanished meanwhile may leave a page empty: it leads to the end that it came from.
  const edge = (row: Row | undefined, direction: Position['direction']): Position => {
    return { direction, key: row ? sortKeyOf(row) : [] }
  }
  return {
    rows,
    next: hasMore || isBackwards ? edge(rows.at(-1), 'after') : null,
    previous: isBackwards
      ? hasMore
        ? edge(rows[0], 'before')
        : null
      : position
        ? edge(rows[0], 'before')
        : null,
  }
}

export function encodeCursor({ direction, key }: Position): string {
  return Buffer.from(JSON.stringify([direction === 'after' ? 1 : 0, ...key])).toString('base64url')
}

/** Refuses what `encodeCursor` cannot have made for a list with such keys. */
export function decodeCursor(cursor: string, isSortKey: (key: SortKey) => boolean): Position {
  const position = readCursor(cursor)
  if (position && (position.key.length === 0 || isSortKey(position.key))) return position
  throw refused('invalid_cursor', CURSOR_FAULT, 'cursor')
}

export const CURSOR_FAULT =
  'This cursor was not made by this API. Follow `next` and `previous` as they are.'

/** Whether it has the form of a cursor, of whatever list. */
export const isCursor = (cursor: string) => readCursor(cursor) !== undefined

function readCursor(cursor: string): Position | undefined {
  const [direction, ...key] = parseArray(Buffer.from(cursor, 'base64url').toString('utf8'))
  const isWhole = (direction === 0 || direction === 1) && key.every(isSafeText)
  return isWhole ? { direction: direction === 1 ? 'after' : 'before', key } : undefined
}

function parseArray(text: string): unknown[] {
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) ? value : []
  } catch {
    return []
  }
}

/** Postgres holds neither NUL nor half a surrogate pair. */
const isSafeText = (value: unknown): value is string =>
  typeof value === 'string' && value.isWellFormed() && !value.includes('\0')

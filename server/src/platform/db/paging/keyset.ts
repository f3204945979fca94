/**
 * Keyset pagination: a cursor contains the sort key of the first or last row of a page, and the next page is the rows
 * after it. Page 10,000 costs as much as page 1, and no row is repeated or skipped while others are inserted.
 */
import { refused } from '../../../kernel/errors.ts'

/** The ORDER BY values of one row. The last makes the key unique. */
export type SortKey = readonly string[]

const uuidForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Sort key of a list ordered by UUID; version 7 sorts by creation. */
export const isUuidKey = ([uuid, ...rest]: SortKey) => uuid !== undefined && uuidForm.test(uuid) && rest.length === 0

/** Position in a list. With an empty key, `after` is the start of the list and `before` its end. */
export type Position = {
  readonly direction: 'after' | 'before'
  readonly key: SortKey
  /** Number of matches when the first page was read, for lists that are expensive to count. */
  readonly count?: number | undefined
}

export type PageRequest = { readonly limit: number; readonly position: Position | undefined }

export type RowPage<Row> = {
  readonly rows: readonly Row[]
  readonly next: Position | null
  readonly previous: Position | null
}

/** Number of rows to fetch: one more than the page shows, to determine whether another page follows. */
export const rowsToFetch = ({ limit }: PageRequest) => limit + 1

/**
 * Converts rows to a page in list order. For a page before a position the query reads backwards, and the rows are
 * reversed here.
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
  // A page may be empty because its rows were deleted: the empty key leads to that end of the list.
  const edge = (row: Row | undefined, direction: Position['direction']): Position => {
    return { direction, key: row ? sortKeyOf(row) : [] }
  }
  return {
    rows,
    next: hasMore || isBackwards ? edge(rows.at(-1), 'after') : null,
    previous: isBackwards ? (hasMore ? edge(rows[0], 'before') : null) : position ? edge(rows[0], 'before') : null,
  }
}

export function encodeCursor({ direction, key, count }: Position): string {
  const values = [direction === 'after' ? 1 : 0, ...key, ...(count === undefined || key.length === 0 ? [] : [count])]
  return Buffer.from(JSON.stringify(values)).toString('base64url')
}

/** Throws for a cursor that `encodeCursor` cannot have created for a list with these keys. */
export function decodeCursor(cursor: string, isSortKey: (key: SortKey) => boolean): Position {
  const position = readCursor(cursor)
  if (position && (position.key.length === 0 || isSortKey(position.key))) return position
  throw refused('invalid_cursor', INVALID_CURSOR, 'cursor')
}

export const INVALID_CURSOR = '`cursor` is invalid. Request the `next` and `previous` URLs unchanged.'

/** Whether the text has the format of a cursor, of any list. */
export const isCursor = (cursor: string) => readCursor(cursor) !== undefined

function readCursor(cursor: string): Position | undefined {
  const [direction, ...values] = parseArray(Buffer.from(cursor, 'base64url').toString('utf8'))
  const count = values.length > 1 && isCount(values.at(-1)) ? Number(values.pop()) : undefined
  const isValid = (direction === 0 || direction === 1) && values.every(isSafeText)
  return isValid ? { direction: direction === 1 ? 'after' : 'before', key: values, count } : undefined
}

const isCount = (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 0

function parseArray(text: string): unknown[] {
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) ? value : []
  } catch {
    return []
  }
}

/** Postgres can store neither NUL nor a lone surrogate. */
const isSafeText = (value: unknown): value is string =>
  typeof value === 'string' && value.isWellFormed() && !value.includes('\0')

import { PAGE_LIMIT_DEFAULT, type Page } from '@reelkeep/contract'
import {
  decodeCursor,
  encodeCursor,
  type PageRequest,
  type Position,
  type RowPage,
  type SortKey,
} from '../db/keyset.ts'

/** What the caller asked for, without the page: `next` and `previous` ask for the same. */
export type Address = {
  /** The public address of the list, up to the question mark. */
  readonly url: string
  readonly query: Record<string, unknown>
}

export function pageRequestOf(
  query: { limit?: number; cursor?: string },
  isSortKey: (key: SortKey) => boolean,
): PageRequest {
  return {
    limit: query.limit ?? PAGE_LIMIT_DEFAULT,
    position: query.cursor === undefined ? undefined : decodeCursor(query.cursor, isSortKey),
  }
}

/** The envelope of every list. */
export function toPage<Row, Item>(
  address: Address,
  found: RowPage<Row> & { readonly count: number },
  toWire: (row: Row) => Item,
): Page<Item> {
  return { count: found.count, ...toUncountedPage(address, found, toWire) }
}

/** The same for lists that grow too long to be counted. */
export const toUncountedPage = <Row, Item>(
  address: Address,
  found: RowPage<Row>,
  toWire: (row: Row) => Item,
): Omit<Page<Item>, 'count'> => ({
  next: found.next && addressOf(address, found.next),
  previous: found.previous && addressOf(address, found.previous),
  results: found.rows.map(toWire),
})

function addressOf({ url, query }: Address, position: Position): string {
  let address = `${url}?`
  for (const [name, value] of Object.entries(query)) {
    if (name !== 'cursor') address += `${name}=${encodeURIComponent(String(value))}&`
  }
  return `${address}cursor=${encodeCursor(position)}`
}

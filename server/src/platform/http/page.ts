import { PAGE_LIMIT_DEFAULT, type Page } from '@reelkeep/contract'
import {
  decodeCursor,
  encodeCursor,
  type PageRequest,
  type Position,
  type RowPage,
  type SortKey,
} from '../db/paging/keyset.ts'

/** URL and query of a list request; `next` and `previous` are built from it. */
export type ListUrl = {
  /** Public URL of the list, without the query. */
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

/** The response body of a list. */
export function toPage<Row, Item>(
  listUrl: ListUrl,
  found: RowPage<Row> & { readonly count: number },
  toWire: (row: Row) => Item,
): Page<Item> {
  return { count: found.count, ...toUncountedPage(listUrl, found, toWire) }
}

/** Like `toPage`, for lists that are too long to count. */
export const toUncountedPage = <Row, Item>(
  listUrl: ListUrl,
  found: RowPage<Row>,
  toWire: (row: Row) => Item,
): Omit<Page<Item>, 'count'> => ({
  next: found.next && urlOf(listUrl, found.next),
  previous: found.previous && urlOf(listUrl, found.previous),
  results: found.rows.map(toWire),
})

function urlOf({ url, query }: ListUrl, position: Position): string {
  let text = `${url}?`
  for (const [name, value] of Object.entries(query)) {
    if (name === 'cursor') continue
    for (const one of [value].flat()) text += `${name}=${encodeURIComponent(String(one))}&`
  }
  return `${text}cursor=${encodeCursor(position)}`
}

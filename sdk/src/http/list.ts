import { ServerError, unexpectedResponse } from './errors.ts'

/** One page of a list. */
export type Page<Item> = {
  /** Number of matching items on all pages; null or absent if they are too many to count. */
  readonly count?: number | null
  readonly next: string | null
  readonly previous: string | null
  readonly results: Item[]
}

/**
 * A requested list. `await` it for the first page, or iterate over it with `for await` to get all items; further
 * pages are fetched when the loop reaches them.
 */
export type List<Of extends Page<unknown>> = Promise<Of & NextCursor> & AsyncIterable<Of['results'][number]>

/** Cursor of the next page: pass it as `cursor` to the same request. Null on the last page. */
type NextCursor = { readonly nextCursor: string | null }

type Query = { cursor?: string }

export function listOf<Of extends Page<unknown>>(fetchPage: (query: Query) => Promise<Of>): List<Of> {
  const fetchWithCursor = async (query: Query) => {
    const page = await fetchPage(query)
    return { ...page, nextCursor: parseCursor(page.next) }
  }
  const first = fetchWithCursor({})
  // Prevents an unhandled rejection; awaiting or iterating still throws.
  first.catch(() => {})
  async function* items(): AsyncGenerator<unknown> {
    for (let page = first; ; ) {
      const { results, nextCursor } = await page
      yield* results
      if (nextCursor === null) return
      page = fetchWithCursor({ cursor: nextCursor })
    }
  }
  return Object.assign(first, { [Symbol.asyncIterator]: items }) as List<Of>
}

/**
 * Parses the cursor of the next page. The rest of the URL is not used, because the token is only sent to the
 * URL of the client.
 */
function parseCursor(next: string | null): string | null {
  if (!next) return null
  const cursor = new URLSearchParams(next.split('?')[1]).get('cursor')
  if (cursor) return cursor
  throw new ServerError(unexpectedResponse({ status: 200, statusText: '', url: 'A list' }))
}

import { ServerError, unexpected } from './errors.ts'

/** One page of a list. */
export type Page<Item> = {
  /** How many items match, on all pages; lists too long to be counted have none. */
  readonly count?: number
  readonly next: string | null
  readonly previous: string | null
  readonly results: Item[]
}

/**
 * A list that was asked for. `await` it for its first page, or loop over it with `for await` to
 * meet every item; further pages are fetched as the loop gets there.
 */
export type List<Of extends Page<unknown>> = Promise<Of & Turning> &
  AsyncIterable<Of['results'][number]>

/** Ask for the same list with this `cursor`, and it is the next page; null on the last. */
type Turning = { readonly nextCursor: string | null }

type Query = { cursor?: string }

export function listOf<Of extends Page<unknown>>(
  fetchPage: (query: Query) => Promise<Of>,
): List<Of> {
  const turnTo = async (query: Query) => {
    const page = await fetchPage(query)
    return { ...page, nextCursor: cursorIn(page.next) }
  }
  const first = turnTo({})
  // Whoever awaits it or loops over it meets the error; until then it is not one that nobody cares about.
  first.catch(() => {})
  async function* items(): AsyncGenerator<unknown> {
    for (let page = first; ; ) {
      const { results, nextCursor } = await page
      yield* results
      if (nextCursor === null) return
      page = turnTo({ cursor: nextCursor })
    }
  }
  return Object.assign(first, { [Symbol.asyncIterator]: items }) as List<Of>
}

/** Only the position is taken from the address: the rest of the call is ours, and so is where the token goes. */
function cursorIn(next: string | null): string | null {
  if (!next) return null
  const cursor = new URLSearchParams(next.split('?')[1]).get('cursor')
  if (cursor) return cursor
  throw new ServerError(unexpected({ status: 200, statusText: '', url: 'A list' }))
}

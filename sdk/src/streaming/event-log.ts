import type { Events } from '../generated/contract.ts'
import type { ReelkeepEvent } from './event.ts'

/** One page of the event log. */
export type EventPage = Omit<Events, 'results'> & { readonly results: ReelkeepEvent[] }

/**
 * The event log. `await` it for the first page, whose `after` is the position of the next one; `for await`
 * reads to the end of the log.
 */
export type EventLog = Promise<EventPage> & AsyncIterable<ReelkeepEvent>

export function eventLog(fetchPage: (position: { readonly after?: number }) => Promise<Events>): EventLog {
  const fetchEvents = fetchPage as (position: { after?: number }) => Promise<EventPage>
  const first = fetchEvents({})
  // Prevents an unhandled rejection; awaiting or iterating still throws.
  first.catch(() => {})
  async function* items(): AsyncGenerator<ReelkeepEvent> {
    for (let page = first; ; ) {
      const { results, after, has_more } = await page
      yield* results
      if (!has_more) return
      page = fetchEvents({ after })
    }
  }
  return Object.assign(first, { [Symbol.asyncIterator]: items })
}

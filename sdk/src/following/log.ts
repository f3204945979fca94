import type { Events } from '../generated/contract.ts'
import type { ReelkeepEvent } from './event.ts'

/** A stretch of the log. */
export type EventPage = Omit<Events, 'results'> & { readonly results: ReelkeepEvent[] }

/** `await` it for its first stretch, whose `after` says where to go on; `for await` goes to the end of the log. */
export type EventLog = Promise<EventPage> & AsyncIterable<ReelkeepEvent>

export function eventLog(
  fetchPage: (position: { readonly after?: number }) => Promise<Events>,
): EventLog {
  const fetchEvents = fetchPage as (position: { after?: number }) => Promise<EventPage>
  const first = fetchEvents({})
  // Whoever awaits it or loops over it meets the error; until then it is not one that nobody cares about.
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

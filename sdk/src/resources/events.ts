import type { Caller, QueryOf } from '../http/call.ts'
import type { UnkeyedOptions } from '../http/settings.ts'
import { type EventLog, eventLog } from '../streaming/event-log.ts'
import { type StreamOptions, streamEvents } from '../streaming/stream.ts'

/** The event log of the organization, in order. */
export const events = (caller: Caller) => ({
  /** Lists events after the number `after`. `for await` reads to the current end of the log. */
  list: (query: QueryOf<'listEvents'> = {}, options?: UnkeyedOptions): EventLog =>
    eventLog((after) => caller.call('listEvents', { query: { ...query, ...after } }, options)),

  /**
   * Streams events live, after the number `after` or from now on. Reconnects automatically, without gaps or duplicates.
   * Ends when the loop ends, or when `signal` is aborted.
   */
  stream: (query: QueryOf<'streamEvents'> = {}, options?: StreamOptions) => streamEvents(caller, query, options),
})

import { type EventLog, eventLog } from '../following/log.ts'
import { followedEvents, type StreamOptions } from '../following/stream.ts'
import type { Caller, QueryOf } from '../http/call.ts'
import type { UnkeyedOptions } from '../http/settings.ts'

/** Everything that happened, in order. */
export const events = (caller: Caller) => ({
  /** From the number `after` on. `for await` goes to the end of the log as it is then. */
  list: (query: QueryOf<'listEvents'> = {}, options?: UnkeyedOptions): EventLog =>
    eventLog((after) => caller.call('listEvents', { query: { ...query, ...after } }, options)),

  /**
   * Live, from the number `after` on, or from now on. It comes back by itself when it is cut off:
   * nothing is missed and nothing comes twice. Ends when its loop does, or when `signal` is
   * aborted.
   */
  stream: (query: QueryOf<'streamEvents'> = {}, options?: StreamOptions) =>
    followedEvents(caller, query, options),
})

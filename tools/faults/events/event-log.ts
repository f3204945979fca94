import type { events } from '@reelkeep/contract'
import type { Caller } from '@reelkeep/testkit'

/** Maximum number of pages of the log; far more than any test needs. */
const PAGES_MAX = 2000

/** After a failover or restore, the log continues at least this many numbers later: decision 46. */
const NEW_RANGE_MIN = 2 ** 38

/** Whether an event with this number may follow the event with the number `before`; 0 is before the first event. */
export const isNextNumber = (number: number, before: number): boolean =>
  number === before + 1 || number - before >= NEW_RANGE_MIN

export async function readLog(caller: Caller, pageSize = 1000): Promise<events.Event[]> {
  const log: events.Event[] = []
  let after = 0
  for (let page = 0; page < PAGES_MAX; page++) {
    const { status, body, text } = await caller.get<{ results: events.Event[]; after: number; has_more: boolean }>(
      `events/?limit=${pageSize}&after=${after}`,
    )
    if (status !== 200) throw new Error(`Reading the event log returned ${text}`)
    log.push(...body.results)
    if (!body.has_more) return log
    after = body.after
  }
  throw new Error('The event log has too many pages')
}

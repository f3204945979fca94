import type { events } from '@reelkeep/contract'
import type { Caller } from '@reelkeep/testkit'

/** Maximum number of pages of the log; far more than any test needs. */
const PAGES_MAX = 2000

export async function readLog(caller: Caller, pageSize = 1000): Promise<events.Event[]> {
  const log: events.Event[] = []
  for (let page = 0; page < PAGES_MAX; page++) {
    const after = log.at(-1)?.number ?? 0
    const { status, body, text } = await caller.get<{ results: events.Event[]; has_more: boolean }>(
      `events/?limit=${pageSize}&after=${after}`,
    )
    if (status !== 200) throw new Error(`Reading the event log returned ${text}`)
    log.push(...body.results)
    if (!body.has_more) return log
  }
  throw new Error('The event log has too many pages')
}

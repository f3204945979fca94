/** Clients that read the event log page by page. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Caller } from '@reelkeep/testkit'

type Event = { readonly number: number; readonly data: { readonly uuid?: string } }
type Page = { after: number; has_more: boolean; results: Event[]; detail?: string }

/** Reads the event log until stopped and the log ends. After a 410 it continues from the number in the error. */
export async function readUntilStopped(caller: Caller, stopping: AbortSignal) {
  const seen = new Set<string>()
  let restarts = 0
  let after = 0
  for (;;) {
    const isLast = stopping.aborted
    const { status, body } = await caller.get<Page>(`events/?after=${after}&limit=1000`)
    if (status === 200) {
      after = body.after
      addFolders(seen, body)
      if (isLast && !body.has_more) return { seen, restarts }
    } else if (status === 410) {
      restarts++
      after = Number(/after=(\d+)/.exec(body.detail ?? '')?.[1])
    }
    if (!body.has_more) await sleep(100)
  }
}

function addFolders(folders: Set<string>, { results }: Page): void {
  for (const { data } of results) if (data.uuid) folders.add(data.uuid)
}

/** The folders in the events of the whole log. */
export async function allEvents(caller: Caller): Promise<Set<string>> {
  const found = new Set<string>()
  let page: Page = { after: 0, has_more: true, results: [] }
  while (page.has_more) {
    page = (await caller.get<Page>(`events/?after=${page.after}&limit=1000`)).body
    addFolders(found, page)
  }
  return found
}

import type { assets, Page } from '@reelkeep/contract'
import type { Caller } from '@reelkeep/testkit'

/** Takes away what tests have left; a page at a time, because the list shrinks meanwhile. */
export async function deleteMarkedAssets(caller: Caller, mark: string): Promise<void> {
  for (;;) {
    const list = await caller.get<Page<assets.Asset>>(`assets/?q=${mark}&limit=100`)
    if (list.status !== 200) throw new Error(`No list to be had: ${list.text}`)
    if (list.body.results.length === 0) return
    for (const { id } of list.body.results) {
      const { status, text } = await caller.delete(`assets/${id}/`)
      if (status !== 204) throw new Error(`Cannot take asset ${id} away: ${text}`)
    }
  }
}

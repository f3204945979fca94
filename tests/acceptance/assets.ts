import type { assets, Page } from '@reelkeep/contract'
import type { Caller } from '@reelkeep/testkit'

/** Deletes the assets that tests created, also those that lists hide unless they are asked for. */
export async function deleteMarkedAssets(caller: Caller, mark: string): Promise<void> {
  await deleteListed(caller, `assets/?q=${mark}&limit=100`)
  await deleteListed(caller, `assets/?q=${mark}&status=Cancelled&limit=100`)
}

/** Reads the first page again after each round, because the list shrinks. */
async function deleteListed(caller: Caller, path: string): Promise<void> {
  for (;;) {
    const list = await caller.get<Page<assets.Asset>>(path)
    if (list.status !== 200) throw new Error(`Cannot read the list: ${list.text}`)
    if (list.body.results.length === 0) return
    for (const { id } of list.body.results) {
      const { status, text } = await caller.delete(`assets/${id}/`)
      if (status !== 204) throw new Error(`Cannot delete asset ${id}: ${text}`)
    }
  }
}

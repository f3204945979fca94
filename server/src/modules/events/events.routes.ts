import { events as contract } from '@reelkeep/contract'
import type { AssetId } from '../../kernel/ids.ts'
import type { ListUrl } from '../../platform/http/page.ts'
import { type Api, route } from '../../platform/http/route.ts'
import { numberBeforeLast, type OnSequenced, readEvents, sequenceEvents, toEvent } from './events.ts'

export function registerEventRoutes(api: Api, onSequenced: OnSequenced): void {
  route(api, contract.listEvents, async ({ db, query, listUrl }) => {
    await sequenceEvents(db, onSequenced)
    const { events, after, hasMore } = await readEvents(db, {
      after: query.after ?? (query.last === undefined ? undefined : await numberBeforeLast(db, query.last)),
      types: query.types?.split(',') ?? [],
      assetId: (query.asset_id as AssetId | undefined) ?? null,
      limit: query.limit ?? contract.EVENTS_PER_PAGE_DEFAULT,
    })
    return {
      after,
      has_more: hasMore,
      next: urlAfter(listUrl, after),
      results: events.map(toEvent),
    }
  })
}

function urlAfter({ url, query }: ListUrl, after: number): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries({ ...query, after })) parameters.set(name, String(value))
  return `${url}?${parameters}`
}

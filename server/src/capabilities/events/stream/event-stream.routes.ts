import { events as contract } from '@reelkeep/contract'
import type { AssetId } from '../../../kernel/ids.ts'
import { beingMoved, isGone } from '../../../platform/db/held.ts'
import { type Api, route } from '../../../platform/http/route.ts'
import { type OnNumbered, placeToBegin, settleEvents } from '../events.ts'
import type { StreamHub } from './stream-hub.ts'

export function registerEventStreamRoutes(api: Api, hub: StreamHub, onNumbered: OnNumbered): void {
  // Before the server waits for all that is under way: a stream would be for an hour.
  api.http.addHook('preClose', async () => hub.endAll())
  route(api, contract.streamEvents, async ({ db, principal, query, headers }) => {
    // Asked here, whatever is remembered: it would be told nothing for an hour.
    if (await isGone(db)) throw beingMoved()
    await settleEvents(db, onNumbered)
    const after = await placeToBegin(db, headers['Last-Event-ID'] ?? query.after)
    const filter = {
      types: query.types?.split(',') ?? [],
      assetId: (query.asset_id as AssetId | undefined) ?? null,
    }
    return {
      open: (line) => hub.open({ principal, filter, after }, line),
      stallSecondsMax: hub.stallSecondsMax,
    }
  })
}

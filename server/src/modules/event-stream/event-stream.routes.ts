import { events as contract } from '@reelkeep/contract'
import type { AssetId } from '../../kernel/ids.ts'
import { isAbsent, organizationBeingMoved } from '../../platform/db/suspension.ts'
import { type Api, route } from '../../platform/http/route.ts'
import { type OnSequenced, sequenceEvents, startPosition } from '../events/events.ts'
import type { StreamHub } from './stream-hub.ts'

export function registerEventStreamRoutes(api: Api, hub: StreamHub, onSequenced: OnSequenced): void {
  // Ends all streams before the server waits for running requests: a stream can last an hour.
  api.http.addHook('preClose', async () => hub.endAll())
  route(api, contract.streamEvents, async ({ db, principal, query, headers }) => {
    // The token cache may be outdated: a stream of an organization that was just migrated away or deleted would get no
    // events for up to an hour.
    if (await isAbsent(db)) throw organizationBeingMoved()
    await sequenceEvents(db, onSequenced)
    const after = await startPosition(db, headers['Last-Event-ID'] ?? query.after)
    const filter = {
      types: query.types?.split(',') ?? [],
      assetId: (query.asset_id as AssetId | undefined) ?? null,
    }
    return {
      open: (client) => hub.open({ principal, filter, after }, client),
      stallSecondsMax: hub.stallSecondsMax,
    }
  })
}

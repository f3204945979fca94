import { assets as contract } from '@reelkeep/contract'
import type { AssetId } from '../../kernel/ids.ts'
import { isUuidKey } from '../../platform/db/paging/keyset.ts'
import { pageRequestOf, toPage } from '../../platform/http/page.ts'
import { type Api, route } from '../../platform/http/route.ts'
import {
  listAssets,
  moveAsset,
  readTimeline,
  renameAsset,
  requireAsset,
  type Timeline,
  type WaitQueries,
} from './assets.ts'
import { assetWire } from './assets.wire.ts'
import { deleteAsset, type FormLifetime } from './deletion/asset-deletion.ts'

export function registerAssetRoutes(api: Api, uploads: FormLifetime, waits: WaitQueries): void {
  route(api, contract.listAssets, async ({ db, query, listUrl, playbackBase }) => {
    const options = {
      folder: query.folder,
      isRecursive: query.recursive ?? false,
      status: query.status,
      text: query.q,
    }
    return toPage(listUrl, await listAssets(db, options, pageRequestOf(query, isUuidKey)), assetWire(playbackBase))
  })

  route(api, contract.readAsset, async ({ db, params, playbackBase }) =>
    assetWire(playbackBase)(await requireAsset(db, params.asset_id as AssetId)),
  )

  route(api, contract.renameAsset, async ({ db, params, body, playbackBase }) =>
    assetWire(playbackBase)(await renameAsset(db, params.asset_id as AssetId, body.title)),
  )

  route(api, contract.moveAsset, async ({ db, params, body, playbackBase }) =>
    assetWire(playbackBase)(await moveAsset(db, params.asset_id as AssetId, body.folder)),
  )

  route(api, contract.deleteAsset, async ({ db, params }) => {
    await deleteAsset(uploads, db, params.asset_id as AssetId)
  })

  route(api, contract.readAssetTimeline, async ({ db, params }) =>
    toTimeline(await readTimeline(db, params.asset_id as AssetId, waits)),
  )
}

const toTimeline = ({ entries, pending }: Timeline): contract.Timeline => ({
  entries: [...entries],
  pending,
})

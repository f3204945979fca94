import { assets as contract } from '@reelkeep/contract'
import type { AssetId } from '../../kernel/ids.ts'
import { isUuidKey } from '../../platform/db/paging/keyset.ts'
import { pageRequestOf, toPage } from '../../platform/http/page.ts'
import { preconditionOf } from '../../platform/http/responses/entity-tag.ts'
import { type Api, route } from '../../platform/http/route.ts'
import { listAssets, readTimeline, requireAsset, type Timeline, type WaitQueries } from './assets.ts'
import { assetWire } from './assets.wire.ts'
import { versionOf } from './changes/asset-changes.rules.ts'
import { type Protection, updateAsset } from './changes/asset-changes.ts'
import { deleteAsset, type FormLifetime } from './deletion/asset-deletion.ts'

type AssetSettings = FormLifetime & Protection

export function registerAssetRoutes(api: Api, settings: AssetSettings, waits: WaitQueries): void {
  route(api, contract.listAssets, async ({ db, query, listUrl, playbackBase }) => {
    const options = {
      folder: query.folder,
      isRecursive: query.recursive ?? false,
      status: query.status,
      text: query.q,
    }
    return toPage(listUrl, await listAssets(db, options, pageRequestOf(query, isUuidKey)), assetWire(playbackBase))
  })

  route(api, contract.readAsset, async ({ db, params, playbackBase, setVersion }) => {
    const asset = await requireAsset(db, params.asset_id as AssetId)
    setVersion(versionOf(asset))
    return assetWire(playbackBase)(asset)
  })

  route(api, contract.updateAsset, async ({ db, params, headers, body, playbackBase, setVersion }) => {
    const { external_id: externalId, content_protection_type: contentProtection, ...fields } = body
    const update = { ...fields, externalId, contentProtection, assertVersion: preconditionOf(headers) }
    const asset = await updateAsset(settings, db, params.asset_id as AssetId, update)
    setVersion(versionOf(asset))
    return assetWire(playbackBase)(asset)
  })

  route(api, contract.moveAsset, async ({ db, params, body, playbackBase }) =>
    assetWire(playbackBase)(await updateAsset(settings, db, params.asset_id as AssetId, { folder: body.folder })),
  )

  route(api, contract.deleteAsset, async ({ db, params }) => {
    await deleteAsset(settings, db, params.asset_id as AssetId)
  })

  route(api, contract.readAssetTimeline, async ({ db, params }) =>
    toTimeline(await readTimeline(db, params.asset_id as AssetId, waits)),
  )
}

const toTimeline = ({ entries, pending }: Timeline): contract.Timeline => ({
  entries: [...entries],
  pending,
})

import { assetLists, assets as contract, type QueryOf } from '@reelkeep/contract'
import type { AssetId } from '../../kernel/ids.ts'
import { assertScope } from '../../platform/http/access/principal.ts'
import { pageRequestOf, toUncountedPage } from '../../platform/http/page.ts'
import { preconditionOf } from '../../platform/http/responses/entity-tag.ts'
import { type Api, route } from '../../platform/http/route.ts'
import { readTimeline, requireAsset, type Timeline, type WaitQueries } from './assets.ts'
import { areSlim, assetQueryOf, assetWire, listedAssetWire } from './assets.wire.ts'
import { versionOf } from './changes/asset-changes.rules.ts'
import { type Protection, updateAsset } from './changes/asset-changes.ts'
import { deleteAsset, type FormLifetime, restoreAsset } from './deletion/asset-deletion.ts'
import { type AssetListOptions, listAssets } from './list/asset-list.ts'
import type { SortField } from './list/asset-order.ts'

type AssetSettings = FormLifetime & Protection

export function registerAssetRoutes(api: Api, settings: AssetSettings, waits: WaitQueries): void {
  route(api, assetLists.listAssets, async ({ db, query, listUrl, playbackBase }) => {
    const found = await listAssets(db, listOptionsOf(query), (isSortKey) => pageRequestOf(query, isSortKey))
    const page = toUncountedPage(listUrl, found, listedAssetWire(playbackBase, query.fields))
    return { count: found.count, count_is_exact: found.count !== null, ...page }
  })

  route(api, contract.readAsset, async ({ db, params, playbackBase, setVersion }) => {
    const asset = await requireAsset(db, params.asset_id as AssetId)
    setVersion(versionOf(asset))
    return assetWire(playbackBase)(asset)
  })

  route(api, contract.updateAsset, async ({ db, principal, params, headers, body, playbackBase, setVersion }) => {
    const { external_id: externalId, content_protection_type: contentProtection, legal_hold, ...fields } = body
    if (legal_hold !== undefined) assertScope(principal, 'holds:write')
    const update = {
      ...fields,
      externalId,
      contentProtection,
      legalHold: legal_hold,
      assertVersion: preconditionOf(headers),
    }
    const asset = await updateAsset(settings, db, params.asset_id as AssetId, update)
    setVersion(versionOf(asset))
    return assetWire(playbackBase)(asset)
  })

  route(api, contract.moveAsset, async ({ db, params, body, playbackBase }) =>
    assetWire(playbackBase)(await updateAsset(settings, db, params.asset_id as AssetId, { folder: body.folder })),
  )

  route(api, contract.deleteAsset, async ({ db, params, query }) => {
    await deleteAsset(settings, db, { id: params.asset_id as AssetId, isPermanent: query.permanently ?? false })
  })

  route(api, contract.restoreAsset, async ({ db, params, playbackBase }) =>
    assetWire(playbackBase)(await restoreAsset(db, params.asset_id as AssetId)),
  )

  route(api, contract.readAssetTimeline, async ({ db, params }) =>
    toTimeline(await readTimeline(db, params.asset_id as AssetId, waits)),
  )
}

const toTimeline = ({ entries, pending }: Timeline): contract.Timeline => ({
  entries: [...entries],
  pending,
})

const sortFields: Record<string, SortField> = {
  created_at: 'creation',
  title: 'title',
  updated_at: 'update',
  duration: 'duration',
  bytes: 'bytes',
}

function listOptionsOf(query: QueryOf<typeof assetLists.listAssets>): AssetListOptions {
  const { order = '-created_at' } = query
  return {
    ...assetQueryOf(query),
    isSlim: areSlim(query.fields),
    order: {
      field: sortFields[order.replace('-', '')] ?? 'creation',
      direction: order.startsWith('-') ? 'desc' : 'asc',
    },
  }
}

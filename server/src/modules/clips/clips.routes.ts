import { clips as contract } from '@reelkeep/contract'
import type { AssetId } from '../../kernel/ids.ts'
import { preconditionOf } from '../../platform/http/responses/entity-tag.ts'
import { type Api, preparedRoute, route } from '../../platform/http/route.ts'
import type { MediaBucket } from '../../platform/storage/media-bucket.ts'
import { versionOf } from '../assets/assets.ts'
import { assetWire } from '../assets/assets.wire.ts'
import { createClip, deleteTrim, discardClip, prepareClip, setTrim } from './clips.ts'

export function registerClipRoutes(api: Api, media: MediaBucket): void {
  for (const operation of [contract.createClip, contract.renderAsset]) {
    preparedRoute(api, operation, async ({ db, principal, params, body, playbackBase }) => {
      const clip = await prepareClip(media, db, params.asset_id as AssetId, {
        startSeconds: body.start_seconds,
        endSeconds: body.end_seconds,
        title: body.title,
        createdBy: principal.id,
        hasQuotas: principal.hasQuotas,
        isRendered: operation.id === contract.renderAsset.id,
      })
      return {
        commit: async (tx) => assetWire(playbackBase)(await createClip(tx, clip)),
        rollback: () => discardClip(media, clip),
      }
    })
  }

  route(api, contract.setTrim, async ({ db, params, headers, body, playbackBase, setVersion }) => {
    const trim = { ...timesOf(body), assertVersion: preconditionOf(headers) }
    const asset = await setTrim(db, params.asset_id as AssetId, trim)
    setVersion(versionOf(asset))
    return assetWire(playbackBase)(asset)
  })

  route(api, contract.deleteTrim, async ({ db, params, headers }) => {
    await deleteTrim(db, params.asset_id as AssetId, preconditionOf(headers))
  })
}

const timesOf = ({ start_seconds, end_seconds }: { readonly start_seconds: number; readonly end_seconds: number }) => ({
  startSeconds: start_seconds,
  endSeconds: end_seconds,
})

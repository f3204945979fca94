import { subtitles as contract } from '@reelkeep/contract'
import type { AssetId, SubtitleId } from '../../kernel/ids.ts'
import { isUuidKey } from '../../platform/db/paging/keyset.ts'
import { pageRequestOf, toPage } from '../../platform/http/page.ts'
import { type Api, preparedRoute, route } from '../../platform/http/route.ts'
import {
  addTrack,
  deleteTrack,
  discardText,
  type ListedTrack,
  listTracks,
  readTrackText,
  storeText,
  type TextStorage,
} from './subtitles.ts'

export function registerSubtitleRoutes(api: Api, storage: TextStorage): void {
  const { media } = storage
  preparedRoute(api, contract.addSubtitle, async ({ db, params, body }) => {
    const assetId = params.asset_id as AssetId
    const { language, label, content } = body
    const text = await storeText(storage, db, assetId, { language, label, content })
    return {
      commit: async (tx) => toSubtitle(await addTrack(tx, assetId, text)),
      rollback: () => discardText(media, text),
    }
  })

  route(api, contract.listSubtitles, async ({ db, params, query, listUrl }) => {
    const request = pageRequestOf(query, isUuidKey)
    return toPage(listUrl, await listTracks(db, params.asset_id as AssetId, request), toSubtitle)
  })

  route(api, contract.readSubtitle, async ({ db, params: { asset_id, subtitle_id } }) => ({
    mediaType: 'text/vtt' as const,
    fileName: `subtitles-${subtitle_id}.vtt`,
    text: await readTrackText(media, db, asset_id as AssetId, subtitle_id as SubtitleId),
  }))

  route(api, contract.deleteSubtitle, async ({ db, params: { asset_id, subtitle_id } }) => {
    await deleteTrack(db, asset_id as AssetId, subtitle_id as SubtitleId)
  })
}

const toSubtitle = (track: ListedTrack): contract.Subtitle => ({
  id: track.id,
  language: track.language,
  label: track.label,
  origin: track.origin,
  created_at: track.createdAt,
  ...(track.isBeyondEnd && { beyond_end: true }),
})

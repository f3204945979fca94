import { subtitles as contract } from '@reelkeep/contract'
import type { AssetId, SubtitleId } from '../../kernel/ids.ts'
import { isUuidKey } from '../../platform/db/paging/keyset.ts'
import { pageRequestOf, toPage } from '../../platform/http/page.ts'
import { preconditionOf } from '../../platform/http/responses/entity-tag.ts'
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
import { entityOf, type ListedVersion } from './versions/subtitle-versions.rules.ts'
import {
  activateTrackVersion,
  discardReplacement,
  listTrackVersions,
  readVersionMoments,
  readVersionText,
  replaceTrack,
  storeReplacement,
} from './versions/subtitle-versions.ts'

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

  route(api, contract.readSubtitle, async ({ db, params: { asset_id, subtitle_id }, setVersion }) => {
    const { text, entity } = await readTrackText(media, db, asset_id as AssetId, subtitle_id as SubtitleId)
    setVersion(entity)
    return { mediaType: 'text/vtt' as const, fileName: `subtitles-${subtitle_id}.vtt`, text }
  })

  route(api, contract.deleteSubtitle, async ({ db, params: { asset_id, subtitle_id } }) => {
    await deleteTrack(db, asset_id as AssetId, subtitle_id as SubtitleId)
  })

  registerVersionRoutes(api, storage)
}

function registerVersionRoutes(api: Api, storage: TextStorage): void {
  const { media } = storage
  preparedRoute(api, contract.replaceSubtitle, async ({ db, params, headers, body: { content }, setVersion }) => {
    const track = { ...trackOf(params), assertEntity: preconditionOf(headers) }
    const replacement = await storeReplacement(storage, db, { ...track, content })
    return {
      commit: async (tx) => withEntity(await replaceTrack(tx, track, replacement), setVersion),
      rollback: () => discardReplacement(media, replacement),
    }
  })

  route(api, contract.listSubtitleVersions, async ({ db, params, setVersion }) => {
    const { versions, entity } = await listTrackVersions(db, trackOf(params))
    setVersion(entity)
    return { count: versions.length, next: null, previous: null, results: versions.map(toVersion) }
  })

  route(api, contract.readSubtitleVersion, async ({ db, params }) => {
    const { subtitle_id, version_number: number } = params
    const text = await readVersionText(media, db, { ...trackOf(params), number })
    return { mediaType: 'text/vtt' as const, fileName: `subtitles-${subtitle_id}-${number}.vtt`, text }
  })

  preparedRoute(api, contract.activateSubtitleVersion, async ({ db, params, headers, setVersion }) => {
    const version = { ...trackOf(params), number: params.version_number, assertEntity: preconditionOf(headers) }
    const moments = await readVersionMoments(media, db, version)
    return {
      commit: async (tx) => withEntity(await activateTrackVersion(tx, version, moments), setVersion),
      // Nothing was stored.
      rollback: async () => undefined,
    }
  })
}

const trackOf = ({ asset_id, subtitle_id }: { readonly asset_id: string; readonly subtitle_id: string }) => ({
  assetId: asset_id as AssetId,
  id: subtitle_id as SubtitleId,
})

function withEntity(track: ListedTrack, setVersion: (entity: unknown) => void): contract.Subtitle {
  setVersion(entityOf(track))
  return toSubtitle(track)
}

const toVersion = ({ number, isActive, origin, createdAt }: ListedVersion): contract.SubtitleVersion => ({
  number,
  is_active: isActive,
  origin,
  created_at: createdAt,
})

const toSubtitle = (track: ListedTrack): contract.Subtitle => ({
  id: track.id,
  language: track.language,
  label: track.label,
  origin: track.origin,
  version: track.version,
  created_at: track.createdAt,
  ...(track.isBeyondEnd && { beyond_end: true }),
})

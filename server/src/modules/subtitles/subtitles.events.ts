/** Events about subtitle tracks. */
import type { AssetId } from '../../kernel/ids.ts'
import { aboutAsset, type NewEvent } from '../events/events.ts'
import type { SubtitleTrack } from './subtitles.rules.ts'

type TrackSummary = Pick<SubtitleTrack, 'id' | 'language' | 'label' | 'origin'>

/** `origin` says whether the track was uploaded, generated, or copied from the file. */
export const subtitleCreated = (assetId: AssetId, track: TrackSummary): NewEvent =>
  aboutAsset(assetId, { type: 'subtitle.created', data: dataOf(assetId, track) })

export const subtitleUpdated = (assetId: AssetId, track: SubtitleTrack): NewEvent =>
  aboutAsset(assetId, { type: 'subtitle.updated', data: { ...dataOf(assetId, track), version: track.version } })

export const subtitleDeleted = (assetId: AssetId, track: TrackSummary): NewEvent =>
  aboutAsset(assetId, { type: 'subtitle.deleted', data: dataOf(assetId, track) })

const dataOf = (assetId: AssetId, { id, language, label, origin }: TrackSummary) => ({
  ...{ id, asset_id: assetId },
  ...{ language, label, origin },
})

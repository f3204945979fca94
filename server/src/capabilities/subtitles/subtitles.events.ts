/** What subtitle tracks tell. */
import type { AssetId } from '../../kernel/ids.ts'
import { aboutAsset, type NewEvent } from '../events/events.ts'
import type { SubtitleTrack } from './subtitles.rules.ts'

type ToldTrack = Pick<SubtitleTrack, 'id' | 'language' | 'label' | 'origin'>

/** Somebody added it, it was heard, or taken over from the file: its origin says so. */
export const subtitleCreated = (assetId: AssetId, track: ToldTrack): NewEvent =>
  aboutAsset(assetId, { type: 'subtitle.created', data: dataOf(assetId, track) })

export const subtitleDeleted = (assetId: AssetId, track: ToldTrack): NewEvent =>
  aboutAsset(assetId, { type: 'subtitle.deleted', data: dataOf(assetId, track) })

const dataOf = (assetId: AssetId, { id, language, label, origin }: ToldTrack) => ({
  ...{ id, asset_id: assetId },
  ...{ language, label, origin },
})

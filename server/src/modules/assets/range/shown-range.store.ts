import { type RawBuilder, sql } from 'kysely'
import type { AssetId } from '../../../kernel/ids.ts'
import { type Given, statement } from '../../../platform/db/statement.ts'
import type { Asset } from '../assets.rules.ts'
import type { ShownRange } from './shown-range.rules.ts'

/**
 * Subquery for the part of the media that an asset shows, as JSON; null if it shows the whole. Reads two rows by
 * primary key. The arguments are columns or parameters of the query around it.
 */
export const shownRange = (
  organizationId: RawBuilder<unknown> | string,
  assetId: RawBuilder<unknown> | string,
  mediaId: RawBuilder<unknown>,
) => sql<ShownRange | null>`(
  select jsonb_build_object(
    'startFrame', coalesce(trimmed.start_frame, clip.start_frame), 'endFrame', coalesce(trimmed.end_frame, clip.end_frame),
    'wholeStartFrame', coalesce(trimmed.whole_start_frame, clip.start_frame),
    'wholeEndFrame', coalesce(trimmed.whole_end_frame, clip.end_frame),
    'rateNumerator', coalesce(trimmed.rate_numerator, clip.rate_numerator),
    'rateDenominator', coalesce(trimmed.rate_denominator, clip.rate_denominator),
    'segmentFrames', coalesce(trimmed.segment_frames, clip.segment_frames),
    'firstFrame', coalesce(trimmed.first_frame, clip.first_frame),
    'isTrimmed', trimmed.asset_id is not null, 'parentId', clip.parent_id)
  from (select) as any_asset
    left join asset_clips as clip on clip.organization_id = ${organizationId} and clip.asset_id = ${assetId}
    left join asset_trims as trimmed on trimmed.organization_id = ${organizationId} and trimmed.asset_id = ${assetId}
      and trimmed.media_id = ${mediaId}
  where clip.asset_id is not null or trimmed.asset_id is not null)`

/** Subquery for the duration of a trimmed asset whose own media is processed again; null if it is not trimmed. */
export const trimmedDuration = ({ organizationId, id }: Given<{ readonly id: AssetId }>) => sql`(
  select (end_frame - start_frame)::double precision * rate_denominator / rate_numerator from asset_trims
  where organization_id = ${organizationId} and asset_id = ${id} and media_id = ${id})`

type TimelineImages = Pick<Asset, 'storyboardKey' | 'filmstripKey' | 'waveformKey'>

/** Sets the images of the clips that show this media, which was processed again. */
export const setClipImages = statement(
  (given: Given<TimelineImages & { readonly id: AssetId }>) => sql`
    update assets set storyboard_key = ${given.storyboardKey}, filmstrip_key = ${given.filmstripKey},
      waveform_key = ${given.waveformKey}
    where organization_id = ${given.organizationId} and id = any (array(
      select asset_id from asset_clips
      where asset_clips.organization_id = ${given.organizationId} and asset_clips.media_id = ${given.id}))`,
)

import { sql } from 'kysely'
import type { AssetId, TokenId } from '../../kernel/ids.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import { creating, dedicatedConnection, type Given, statement } from '../../platform/db/statement.ts'
import type { Asset, FrameGrid, Frames } from '../assets/assets.ts'

type OfMedia = { readonly assetId: AssetId; readonly mediaId: AssetId }

/** Blocks the deletion of media until the transaction ends. */
const lockMedia = dedicatedConnection(
  statement(
    ({ organizationId, mediaId }: Given<{ mediaId: AssetId }>) => sql<{ id: AssetId }>`
      select id from assets where organization_id = ${organizationId} and id = ${mediaId} for key share`,
  ),
)

/** Returns false if the media was deleted. The media may be outside the limits of the principal, or in the trash. */
export const lockMediaOf = (tx: OrganizationDb, mediaId: AssetId): Promise<boolean> =>
  tx.withLimits(undefined, (unlimited) =>
    unlimited.withTrash(async (all) => {
      const [rows] = await all.run(lockMedia({ mediaId }))
      return rows.length > 0
    }),
  )

export type NewClip = OfMedia &
  Frames &
  FrameGrid & {
    readonly parentId: AssetId
    readonly title: string
    readonly searchTitle: string
    readonly grams: readonly number[]
    readonly createdBy: TokenId
    readonly durationSeconds: number
    /** The part gets media of its own, and cannot be played before. */
    readonly isRendered: boolean
  }

/** The row has the columns of its parent that describe the media, and stores no bytes of its own. */
const insertAsset = creating(
  'asset',
  'assetId',
  statement(
    (clip: Given<NewClip>) => sql`
      insert into assets (
        organization_id, id, title, search_title, grams, folder_uuid, status, resolutions, content_protection_type,
        generate_subtitle, created_by, media_id, bytes, own_bytes, duration_seconds, width, height, frame_rate,
        playable_at, storyboard_key, filmstrip_key, waveform_key)
      select organization_id, ${clip.assetId}, ${clip.title}, ${clip.searchTitle}, ${clip.grams}::integer[],
        folder_uuid, case when ${clip.isRendered}::boolean then 'Queued' else status end, resolutions, content_protection_type, false, ${clip.createdBy}::uuid, ${clip.mediaId}, bytes,
        0, ${clip.durationSeconds}, width, height, frame_rate, case when not ${clip.isRendered}::boolean then now() end,
        storyboard_key, filmstrip_key, waveform_key
      from assets where organization_id = ${clip.organizationId} and id = ${clip.parentId}`,
  ),
)

const insertClip = statement(
  (clip: Given<NewClip>) => sql`
    insert into asset_clips (organization_id, asset_id, media_id, parent_id, start_frame, end_frame, rate_numerator,
      rate_denominator, segment_frames, first_frame)
    values (${clip.organizationId}, ${clip.assetId}, ${clip.mediaId}, ${clip.parentId}, ${clip.startFrame},
      ${clip.endFrame}, ${clip.rateNumerator}, ${clip.rateDenominator}, ${clip.segmentFrames}, ${clip.firstFrame})`,
)

const count = statement(
  ({ organizationId }: Given<object>) => sql`
    insert into asset_counts as counts (organization_id, slot, asset_count)
    values (${organizationId}, pg_backend_pid() % 16, 1)
    on conflict (organization_id, slot) do update set asset_count = counts.asset_count + 1`,
)

/** The caller has locked the parent. */
export async function writeClip(tx: OrganizationDb, clip: NewClip): Promise<void> {
  await tx.run(insertAsset(clip), insertClip(clip), count({}))
}

export type NewTrim = OfMedia & Frames & FrameGrid & { readonly whole: Frames; readonly durationSeconds: number }

const upsertTrim = statement(
  (trim: Given<Omit<NewTrim, 'whole' | 'durationSeconds'> & { wholeStartFrame: number; wholeEndFrame: number }>) => sql`
    insert into asset_trims (organization_id, asset_id, media_id, start_frame, end_frame, whole_start_frame,
      whole_end_frame, rate_numerator, rate_denominator, segment_frames, first_frame)
    values (${trim.organizationId}, ${trim.assetId}, ${trim.mediaId}, ${trim.startFrame}, ${trim.endFrame},
      ${trim.wholeStartFrame}, ${trim.wholeEndFrame}, ${trim.rateNumerator}, ${trim.rateDenominator},
      ${trim.segmentFrames}, ${trim.firstFrame})
    on conflict (organization_id, asset_id, media_id)
      do update set start_frame = excluded.start_frame, end_frame = excluded.end_frame`,
)

const removeTrim = statement(
  ({ organizationId, assetId, mediaId }: Given<OfMedia>) => sql`
    delete from asset_trims
    where organization_id = ${organizationId} and asset_id = ${assetId} and media_id = ${mediaId}`,
)

const setDuration = statement(
  ({ organizationId, assetId, durationSeconds }: Given<{ assetId: AssetId; durationSeconds: number }>) => sql`
    update assets set duration_seconds = ${durationSeconds}, updated_at = now()
    where organization_id = ${organizationId} and id = ${assetId}`,
)

export async function writeTrim(tx: OrganizationDb, { whole, durationSeconds, ...trim }: NewTrim): Promise<void> {
  const { assetId } = trim
  await tx.run(
    upsertTrim({ ...trim, wholeStartFrame: whole.startFrame, wholeEndFrame: whole.endFrame }),
    setDuration({ assetId, durationSeconds }),
  )
}

export async function deleteTrim(
  tx: OrganizationDb,
  { id: assetId }: Asset,
  { mediaId, durationSeconds }: { readonly mediaId: AssetId; readonly durationSeconds: number },
): Promise<void> {
  await tx.run(removeTrim({ assetId, mediaId }), setDuration({ assetId, durationSeconds }))
}

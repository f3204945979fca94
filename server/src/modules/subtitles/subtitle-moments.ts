/** Makes a track searchable whose text is in storage. */
import { readMoments } from '@reelkeep/media'
import type { AssetId, SubtitleId } from '../../kernel/ids.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import { defineJob } from '../../platform/jobs/job.ts'
import type { MediaBucket } from '../../platform/storage/media-bucket.ts'
import { findAsset, shareLockAsset } from '../assets/assets.ts'
import { writeTranscript } from '../moments/moments.ts'
import { findTrack } from './subtitles.store.ts'

type OfTrack = { readonly assetId: AssetId; readonly subtitleId: SubtitleId }

/** Enqueued with a track whose text was not read, because the asset shows another version of its file. */
export const transcriptJob = defineJob<OfTrack>({
  name: 'index-transcript',
  queue: 'light',
  retry: { maxAttempts: 12, firstBackoffSeconds: 5, attemptTimeoutSeconds: 60 },
  about: ({ assetId }) => ({ asset_id: assetId }),
})

/** Reads the text of a track and writes its moments. Returns whether the text was found. */
export async function indexTranscript(
  media: MediaBucket,
  db: OrganizationDb,
  { assetId, subtitleId }: OfTrack,
): Promise<boolean> {
  const asset = await findAsset(db, assetId)
  const track = asset && (await findTrack(db, asset, subtitleId))
  const text = track && (await media.findText(track.key))
  if (track === undefined || text === undefined) return false
  const moments = readMoments(text)
  return db.transaction(async (tx) => {
    const current = await findTrack(tx, await shareLockAsset(tx, assetId), subtitleId)
    // Otherwise the track was replaced or deleted meanwhile, with its moments.
    if (current?.key !== track.key) return false
    await writeTranscript(tx, { assetId, subtitleId, language: track.language, moments })
    return true
  })
}

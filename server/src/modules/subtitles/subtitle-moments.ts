/** Makes a track searchable whose text is in storage. */
import { readMoments } from '@reelkeep/media'
import type { AssetId, SubtitleId } from '../../kernel/ids.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import { defineJob } from '../../platform/jobs/job.ts'
import type { MediaBucket } from '../../platform/storage/media-bucket.ts'
import { findAsset, lockAsset } from '../assets/assets.ts'
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
  const track = await db.withTrash(async (all) => {
    const asset = await findAsset(all, assetId)
    return asset && findTrack(all, asset, subtitleId)
  })
  const text = track && (await media.findText(track.key))
  if (track === undefined || text === undefined) return false
  const moments = readMoments(text)
  return db.transaction((tx) =>
    tx.withTrash(async (all) => {
      const current = await findTrack(all, await lockAsset(all, assetId), subtitleId)
      // Otherwise the track was replaced or deleted, and its moments with it.
      if (current?.key !== track.key) return false
      await writeTranscript(all, { assetId, subtitleId, language: track.language, moments })
      return true
    }),
  )
}

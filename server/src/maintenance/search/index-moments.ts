/**
 * Writes the moments of assets that are older than the search, and of subtitle tracks whose text could not be read when
 * they were added. Changes write their own moments, so this can run at any time. An interrupted run is continued by the
 * next one: assets that have their moments are skipped.
 */
import type { AssetId } from '../../kernel/ids.ts'
import { lockAssetQuery } from '../../modules/assets/assets.ts'
import { indexChapters } from '../../modules/chapters/chapters.ts'
import { eachUnindexedAsset, findUnindexedTracks, writeTitleMoments } from '../../modules/moments/moments.ts'
import { indexTranscript } from '../../modules/subtitles/subtitles.ts'
import type { Database, OrganizationDb } from '../../platform/db/database.ts'
import type { MediaBucket } from '../../platform/storage/media-bucket.ts'
import { localOrganizations, unlessSuspended } from '../local-organizations.ts'

export type IndexProgress = {
  assets: number
  transcripts: number
  /** Tracks whose text is missing in storage. */
  missing: number
  /** Organizations that are suspended: they cannot be written to. */
  suspended: number
}

export type IndexOptions = {
  /** Undefined for all organizations. */
  readonly organization: string | undefined
  readonly signal: AbortSignal
  /** Called after every thousand assets. */
  readonly report: (progress: Readonly<IndexProgress>) => void
}

const ASSETS_PER_REPORT = 1000

/** Needs a database opened as the owner. */
export async function indexMoments(database: Database, media: MediaBucket, options: IndexOptions) {
  const progress: IndexProgress = { assets: 0, transcripts: 0, missing: 0, suspended: 0 }
  for await (const { db, isSuspended } of localOrganizations(database)) {
    options.signal.throwIfAborted()
    if (options.organization !== undefined && db.organizationId !== options.organization) continue
    const isDone =
      !isSuspended && (await unlessSuspended(indexOrganization(db, media, { ...options, progress }), false))
    if (!isDone) progress.suspended++
  }
  return progress
}

type Run = IndexOptions & { readonly progress: IndexProgress }

async function indexOrganization(db: OrganizationDb, media: MediaBucket, { signal, report, progress }: Run) {
  await eachUnindexedAsset(db, signal, async (assetId) => {
    await indexAsset(db, assetId)
    for (const { subtitleId } of await findUnindexedTracks(db, assetId)) {
      if (await indexTranscript(media, db, { assetId, subtitleId })) progress.transcripts++
      else progress.missing++
    }
    progress.assets++
    if (progress.assets % ASSETS_PER_REPORT === 0) report(progress)
  })
  signal.throwIfAborted()
  return true
}

/** Locks the asset, so that no change of its title is overwritten. */
const indexAsset = (db: OrganizationDb, id: AssetId): Promise<void> =>
  db.transaction(async (tx) => {
    const [[asset]] = await tx.run(lockAssetQuery({ id }))
    if (!asset) return
    await writeTitleMoments(tx, id)
    await indexChapters(tx, asset)
  })

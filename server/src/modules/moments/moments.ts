/**
 * Moments: the texts that a search finds, with the time at which each is shown or said. The modules that own the texts
 * write them in the transaction of the change. Titles, descriptions and tags are written by a trigger (see the
 * migration), and the moments of deleted tracks and assets are deleted with them.
 */
import type { TranscriptMoment } from '@reelkeep/media'
import type { AssetId, SubtitleId } from '../../kernel/ids.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import * as store from './moments.store.ts'

export type { SpokenPart, UnindexedTrack } from './moments.store.ts'

type Transcript = {
  readonly assetId: AssetId
  readonly subtitleId: SubtitleId
  /** BCP 47 tag. */
  readonly language: string
  readonly moments: readonly TranscriptMoment[]
}

/** Replaces the moments of a subtitle track. The caller has locked the asset. */
export async function writeTranscript(tx: OrganizationDb, { moments, ...track }: Transcript): Promise<void> {
  await store.replaceTranscript(tx, {
    ...track,
    starts: moments.map(({ startMs }) => startMs),
    ends: moments.map(({ endMs }) => endMs),
    texts: moments.map(({ text }) => text),
    cues: moments.map(({ cues }) => JSON.stringify(cues)),
  })
}

/** Makes the moments of chapters equal to the chapters. The caller has locked the set of chapters. */
export const writeChapterMoments = store.syncChapterMoments

/** Writes the moments of an asset's title, description and tags, for assets that are older than the table. */
export const writeTitleMoments = store.syncTitleMoments

/** The longest transcript of an asset, in order, with the meanings if all of them are known. */
export const readSpokenParts = store.selectSpokenParts

export const findUnindexedTracks = store.selectUnindexedTracks

/** Calls `work` for each asset of the organization with texts that have no moments, in the order of their ids. */
export async function eachUnindexedAsset(
  db: OrganizationDb,
  signal: AbortSignal,
  work: (assetId: AssetId) => Promise<void>,
): Promise<void> {
  let after = '00000000-0000-0000-0000-000000000000'
  while (!signal.aborted) {
    const ids = await store.selectUnindexedAssets(db, after, ASSETS_PER_READ)
    for (const id of ids) {
      if (signal.aborted) return
      await work(id)
      after = id
    }
    if (ids.length < ASSETS_PER_READ) return
  }
}

const ASSETS_PER_READ = 500

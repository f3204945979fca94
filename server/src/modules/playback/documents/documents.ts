/** The metadata of a video that players need besides its manifests: title, chapters, images, subtitles. */
import type { AssetId } from '../../../kernel/ids.ts'
import type { OrganizationDb } from '../../../platform/db/database.ts'
import { type Asset, durationOf, leadSeconds, mediaIdOf, requireAsset, trimmedSeconds } from '../../assets/assets.ts'
import { chaptersWithin, type NewChapter, readChapters } from '../../chapters/chapters.ts'
import type { PlannedVideo } from '../playback.rules.ts'
import { findPlanned } from '../playback.store.ts'
import { endedStatuses } from '../playback.ts'

export type Chaptered = {
  /** Duration; null until the file has been probed. There are no chapters before that. */
  readonly durationSeconds: number | null
  /** Chapters in the order of their starts, in the times of the video that the asset shows. */
  readonly chapters: readonly NewChapter[]
}

export type Contents = Chaptered & {
  readonly asset: Asset
  /** Frame rate of all renditions; null until the file has been probed. */
  readonly frameRate: PlannedVideo['plan']['frameRate'] | null
  readonly playbackStatus: PlaybackStatus
  /** Seconds of the manifests before the first frame that the asset shows. */
  readonly leadSeconds: number
}

/** `pending`: nothing is playable yet. `incomplete` and `failed`: processing ended with a part or with nothing. */
export type PlaybackStatus = 'pending' | 'processing' | 'complete' | 'incomplete' | 'failed'

export async function readContents(db: OrganizationDb, assetId: AssetId): Promise<Contents> {
  const asset = await requireAsset(db, assetId)
  const { durationSeconds } = asset
  const all = await readChapters(db, asset)
  // A chapter beyond the end of a shorter version stays, but cannot be played.
  const playable = all.filter(({ isBeyondEnd }) => !isBeyondEnd)
  const { range } = asset
  const part = range && { startSeconds: trimmedSeconds(range), durationSeconds: durationOf(range) }
  const chapters = part ? chaptersWithin(playable, part) : playable
  const planned = await findPlanned(db, mediaIdOf(asset))
  const frameRate = planned?.plan.frameRate ?? null
  const playbackStatus = playbackStatusOf(asset)
  return { asset, frameRate, chapters, durationSeconds, playbackStatus, leadSeconds: range ? leadSeconds(range) : 0 }
}

function playbackStatusOf({ status, playableAt, isWhole }: Asset): PlaybackStatus {
  const hasEnded = endedStatuses.includes(status)
  if (playableAt === null) return hasEnded ? 'failed' : 'pending'
  if (isWhole) return 'complete'
  return hasEnded ? 'incomplete' : 'processing'
}

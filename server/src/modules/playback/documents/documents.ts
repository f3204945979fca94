/** The metadata of a video that players need besides its manifests: title, chapters, images, subtitles. */
import type { AssetId } from '../../../kernel/ids.ts'
import type { OrganizationDb } from '../../../platform/db/database.ts'
import { type Asset, mediaIdOf, requireAsset } from '../../assets/assets.ts'
import { type Chapter, readChapters } from '../../chapters/chapters.ts'
import type { PlannedVideo } from '../playback.rules.ts'
import { findPlanned } from '../playback.store.ts'
import { endedStatuses } from '../playback.ts'

export type Chaptered = {
  /** Duration; null until the file has been probed. There are no chapters before that. */
  readonly durationSeconds: number | null
  readonly chapters: readonly Chapter[]
}

export type Contents = Chaptered & {
  readonly asset: Asset
  /** Frame rate of all renditions; null until the file has been probed. */
  readonly frameRate: PlannedVideo['plan']['frameRate'] | null
  readonly playbackStatus: PlaybackStatus
}

/** `pending`: nothing is playable yet. `incomplete` and `failed`: processing ended with a part or with nothing. */
export type PlaybackStatus = 'pending' | 'processing' | 'complete' | 'incomplete' | 'failed'

export async function readContents(db: OrganizationDb, assetId: AssetId): Promise<Contents> {
  const asset = await requireAsset(db, assetId)
  const { durationSeconds } = asset
  const all = await readChapters(db, asset)
  // A chapter beyond the end of a shorter version stays, but cannot be played.
  const chapters = all.filter(({ isBeyondEnd }) => !isBeyondEnd)
  const planned = await findPlanned(db, mediaIdOf(asset))
  const frameRate = planned?.plan.frameRate ?? null
  return { asset, frameRate, chapters, durationSeconds, playbackStatus: playbackStatusOf(asset) }
}

function playbackStatusOf({ status, playableAt, isWhole }: Asset): PlaybackStatus {
  const hasEnded = endedStatuses.includes(status)
  if (playableAt === null) return hasEnded ? 'failed' : 'pending'
  if (isWhole) return 'complete'
  return hasEnded ? 'incomplete' : 'processing'
}

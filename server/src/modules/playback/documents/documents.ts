/** The metadata of a video that players need besides its manifests: title, chapters, images, subtitles. */
import type { AssetId } from '../../../kernel/ids.ts'
import type { OrganizationDb } from '../../../platform/db/database.ts'
import { type Asset, requireAsset } from '../../assets/assets.ts'
import { type Chapter, readChapters } from '../../chapters/chapters.ts'
import { endedStatuses } from '../playback.ts'

export type Chaptered = {
  /** Duration; null until the file has been probed. There are no chapters before that. */
  readonly durationSeconds: number | null
  readonly chapters: readonly Chapter[]
}

export type Contents = Chaptered & {
  readonly asset: Asset
  readonly course: VideoCourse
}

/** `awaited`: nothing is playable yet. `lost`: nothing is playable, and processing has ended. */
export type VideoCourse = 'awaited' | 'growing' | 'whole' | 'stopped' | 'lost'

export async function readContents(db: OrganizationDb, assetId: AssetId): Promise<Contents> {
  const asset = await requireAsset(db, assetId)
  const chapters = await readChapters(db, asset)
  return { asset, chapters, durationSeconds: asset.durationSeconds, course: courseOf(asset) }
}

function courseOf({ status, playableAt, isWhole }: Asset): VideoCourse {
  const hasEnded = endedStatuses.includes(status)
  if (playableAt === null) return hasEnded ? 'lost' : 'awaited'
  if (isWhole) return 'whole'
  return hasEnded ? 'stopped' : 'growing'
}

/** The service makes a video of a file: waits for that, and tells where it plays. */
import type { Asset, AssetProgress, Reelkeep } from 'reelkeep'
import type { Profile } from '../../profile/profile.ts'
import { embedPage } from '../assets/embed-page.ts'

export type Watching = {
  readonly reelkeep: Reelkeep
  readonly signal: AbortSignal
  readonly onPercent: (percent: number) => void
  readonly onPlayable: (asset: Asset) => void
}

/** Answers the asset when all of it is made. */
export async function watchVideo(
  { id }: Asset,
  { reelkeep, signal, onPercent, onPlayable }: Watching,
): Promise<Asset> {
  const onProgress = ({ progress }: AssetProgress) => onPercent(progress)
  onPlayable(await reelkeep.assets.waitUntilPlayable(id, { signal, onProgress }))
  return reelkeep.assets.waitUntilCompleted(id, { signal, onProgress })
}

/** The page of the video. It takes the pass that every address of the asset bears, and lasts as long. */
export function pageOf({ id, video }: Asset, profile: Profile): string | undefined {
  const pass = /\/play\/([^/]+)\//.exec(video.playback_url ?? '')?.[1]
  return pass === undefined ? undefined : embedPage(profile, id, pass)
}

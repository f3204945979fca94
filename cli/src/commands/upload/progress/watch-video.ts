/** Waits for processing and finds the playback page. */
import type { Asset, AssetProgress, Reelkeep } from 'reelkeep'
import type { Profile } from '../../../profile/profile.ts'
import { embedPage } from '../../assets/embed-page.ts'

export type Watching = {
  readonly reelkeep: Reelkeep
  readonly signal: AbortSignal
  readonly onPercent: (percent: number) => void
  readonly onPlayable: (asset: Asset) => void
}

/** Waits for processing; resolves when it is complete. */
export async function watchVideo({ id }: Asset, { reelkeep, signal, onPercent, onPlayable }: Watching): Promise<Asset> {
  const onProgress = ({ progress }: AssetProgress) => onPercent(progress)
  onPlayable(await reelkeep.assets.waitUntilPlayable(id, { signal, onProgress }))
  return reelkeep.assets.waitUntilCompleted(id, { signal, onProgress })
}

/** URL of the playback page. It uses the playback token in the URLs of the asset, and expires with it. */
export function embedPageOf({ id, video }: Asset, profile: Profile): string | undefined {
  const pass = /\/play\/([^/]+)\//.exec(video.playback_url ?? '')?.[1]
  return pass === undefined ? undefined : embedPage(profile, id, pass)
}

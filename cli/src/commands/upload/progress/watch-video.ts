/** Waits for processing and finds the playback page. */
import type { Asset, AssetProgress, Reelkeep } from 'reelkeep'
import type { Profile } from '../../../profile/profile.ts'
import { embedPage } from '../../assets/embed-page.ts'

export type Watching = {
  readonly reelkeep: Reelkeep
  readonly signal: AbortSignal
  readonly onPercent: (percent: number) => void
  readonly onPlayable: (asset: Asset) => void
  readonly onNote: (text: string) => void
}

/** How long a video may wait for a worker before the user gets a hint; an idle worker starts within a few seconds. */
const HINT_AFTER_SECONDS = 60

/** Waits for processing; resolves when it is complete. */
export async function watchVideo({ id }: Asset, watching: Watching): Promise<Asset> {
  const { reelkeep, signal, onPercent, onPlayable, onNote } = watching
  const hint = setTimeout(
    () => onNote('no worker has started yet; check with: reelkeep doctor'),
    HINT_AFTER_SECONDS * 1000,
  )
  const onProgress = ({ status, progress }: AssetProgress) => {
    if (status !== 'Queued') clearTimeout(hint)
    onPercent(progress)
  }
  try {
    onPlayable(await reelkeep.assets.waitUntilPlayable(id, { signal, onProgress }))
    return await reelkeep.assets.waitUntilCompleted(id, { signal, onProgress })
  } finally {
    clearTimeout(hint)
  }
}

/** URL of the playback page. It uses the playback token in the URLs of the asset, and expires with it. */
export function embedPageOf({ id, video }: Asset, profile: Profile): string | undefined {
  const pass = /\/play\/([^/]+)\//.exec(video.playback_url ?? '')?.[1]
  return pass === undefined ? undefined : embedPage(profile, id, pass)
}

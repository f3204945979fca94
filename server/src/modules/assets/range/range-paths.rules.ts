/**
 * Paths of the files that follow the time of a video, in playback URLs after the asset id. Those of a part of a video
 * are written for each request, from the files of the whole.
 */
import { type Asset, playbackPath } from '../assets.rules.ts'

export type TimelineName = 'storyboard' | 'filmstrip' | 'waveform'

const names: Record<TimelineName, string> = {
  storyboard: 'storyboard.vtt',
  filmstrip: 'filmstrip.vtt',
  waveform: 'waveform.gz',
}

type Timelines = Pick<
  Asset,
  'organizationId' | 'id' | 'shownMediaId' | 'version' | 'range' | 'storyboardKey' | 'filmstripKey' | 'waveformKey'
>

export function timelinePaths(asset: Timelines): Record<TimelineName, string | null> {
  const pathOf = (name: TimelineName, key: string | null) =>
    key && (asset.range ? names[name] : playbackPath(asset, key))
  return {
    storyboard: pathOf('storyboard', asset.storyboardKey),
    filmstrip: pathOf('filmstrip', asset.filmstripKey),
    waveform: pathOf('waveform', asset.waveformKey),
  }
}

/** Name of the subtitles of a part of a video. */
export const captionsName = (id: string) => `captions-${id}.vtt`

type Captions = Pick<Asset, 'organizationId' | 'id' | 'shownMediaId' | 'version' | 'range'>

export const captionsPath = (asset: Captions, { id, key }: { readonly id: string; readonly key: string }) =>
  asset.range ? captionsName(id) : playbackPath(asset, key)

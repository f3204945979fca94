import type { assets as contract } from '@reelkeep/contract'
import { type Asset, coverKeyOf, playbackPath } from './assets.rules.ts'
import { captionsPath, timelinePaths } from './range/range-paths.rules.ts'

type AssetUrls = Pick<
  contract.Asset['video'],
  'playback_url' | 'dash_url' | 'thumbnails' | 'cover_thumbnail_url' | 'waveform_url' | 'tracks'
>

/** Returns the URL prefix of an asset. It contains a playback token. */
type BaseOf = (asset: Asset) => string

/** URLs of an asset's manifests, images and tracks. Below the prefix of a version they mirror the keys in storage. */
export function playbackUrls(baseOf: BaseOf, asset: Asset): AssetUrls {
  const { thumbnailKeys, subtitles } = asset
  const { storyboard, filmstrip, waveform } = timelinePaths(asset)
  const coverKey = coverKeyOf(asset)
  const isPlayable = asset.playableAt !== null
  // The token is computed only for assets that have a URL.
  let base: string | undefined
  const urlOf = (path: string) => {
    base ??= baseOf(asset)
    return base + path
  }
  const urlOfKey = (key: string) => urlOf(playbackPath(asset, key))
  return {
    playback_url: isPlayable ? urlOf('master.m3u8') : null,
    dash_url: isPlayable && hasDash(asset) ? urlOf('manifest.mpd') : null,
    thumbnails: thumbnailKeys.map(urlOfKey),
    cover_thumbnail_url: coverKey && urlOfKey(coverKey),
    waveform_url: waveform && urlOf(waveform),
    tracks: [
      ...subtitles.map(({ key, ...track }) => ({
        kind: 'subtitles',
        ...track,
        url: urlOf(captionsPath(asset, { id: track.id, key })),
      })),
      ...frameTrack('storyboard', storyboard && urlOf(storyboard)),
      ...frameTrack('filmstrip', filmstrip && urlOf(filmstrip)),
    ],
  }
}

/** AES-128 segment encryption exists only in HLS. */
const hasDash = ({ isWhole, contentProtection }: Asset) => isWhole && contentProtection !== 'aes'

/** A track of small frames, if it exists. */
const frameTrack = (kind: string, url: string | null) =>
  url === null ? [] : [{ kind, id: null, language: null, label: null, origin: null, url }]

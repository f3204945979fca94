import type { assets as contract } from '@reelkeep/contract'
import { type Asset, coverKeyOf, playbackPath } from './assets.rules.ts'

type AssetUrls = Pick<
  contract.Asset['video'],
  'playback_url' | 'dash_url' | 'thumbnails' | 'cover_thumbnail_url' | 'tracks'
>

/** Returns the URL prefix of an asset. It contains a playback token. */
type BaseOf = (asset: Asset) => string

/** URLs of an asset's manifests, images and tracks. Below the prefix of a version they mirror the keys in storage. */
export function playbackUrls(baseOf: BaseOf, asset: Asset): AssetUrls {
  const { thumbnailKeys, storyboardKey, subtitles } = asset
  const base = baseOf(asset)
  const coverKey = coverKeyOf(asset)
  const urlOf = (key: string) => base + playbackPath(asset, key)
  const isPlayable = asset.playableAt !== null
  return {
    playback_url: isPlayable ? `${base}master.m3u8` : null,
    dash_url: isPlayable && hasDash(asset) ? `${base}manifest.mpd` : null,
    thumbnails: thumbnailKeys.map(urlOf),
    cover_thumbnail_url: coverKey && urlOf(coverKey),
    tracks: [
      ...subtitles.map(({ key, ...track }) => ({ kind: 'subtitles', ...track, url: urlOf(key) })),
      ...storyboard(storyboardKey).map((key) => ({ ...storyboardTrack, url: urlOf(key) })),
    ],
  }
}

/** AES-128 segment encryption exists only in HLS. */
const hasDash = ({ isWhole, contentProtection }: Asset) => isWhole && contentProtection !== 'aes'

const storyboardTrack = { kind: 'storyboard', id: null, language: null, label: null, origin: null }
const storyboard = (key: string | null) => (key === null ? [] : [key])

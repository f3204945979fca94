import type { assets as contract } from '@reelkeep/contract'
import { type Asset, storagePrefix } from './assets.rules.ts'

type Addresses = Pick<
  contract.Asset['video'],
  'playback_url' | 'dash_url' | 'thumbnails' | 'cover_thumbnail_url' | 'tracks'
>

/** What all addresses of an asset begin with; asked for only if there is one to be told. */
type BaseOf = (asset: Asset) => string

/** Where what was made of a video is to be had: under one address for each asset, by the names it has in storage. */
export function playbackUrls(baseOf: BaseOf, asset: Asset): Addresses {
  const { organizationId, id, coverKey, thumbnailKeys, storyboardKey, subtitles } = asset
  const urlOf = (key: string) => baseOf(asset) + key.slice(storagePrefix(organizationId, id).length)
  const isPlayable = asset.playableAt !== null
  return {
    playback_url: isPlayable ? `${baseOf(asset)}master.m3u8` : null,
    dash_url: isPlayable && hasDash(asset) ? `${baseOf(asset)}manifest.mpd` : null,
    thumbnails: thumbnailKeys.map(urlOf),
    cover_thumbnail_url: coverKey && urlOf(coverKey),
    tracks: [
      ...subtitles.map(({ key, ...words }) => ({ kind: 'subtitles', ...words, url: urlOf(key) })),
      ...storyboard(storyboardKey).map((key) => ({ ...unspoken, url: urlOf(key) })),
    ],
  }
}

/** `aes` is a way of HLS alone. */
const hasDash = ({ isWhole, contentProtection }: Asset) => isWhole && contentProtection !== 'aes'

const unspoken = { kind: 'storyboard', id: null, language: null, label: null, origin: null }
const storyboard = (key: string | null) => (key === null ? [] : [key])

import type { assets as contract } from '@reelkeep/contract'
import { type Asset, storagePrefix } from './assets.rules.ts'

type Addresses = Pick<
  contract.Asset['video'],
  'playback_url' | 'dash_url' | 'thumbnails' | 'cover_thumbnail_url' | 'tracks'
>

/** Where what was made of a video is to be had: under one address for each asset, by the names it has in storage. */
export function playbackUrls(base: string, asset: Asset): Addresses {
  const { organizationId, id, coverKey, thumbnailKeys, storyboardKey, subtitles } = asset
  const own = `${base}/${organizationId}/${id}/`
  const urlOf = (key: string) => own + key.slice(storagePrefix(organizationId, id).length)
  return {
    playback_url: isPlayable(asset) ? `${own}master.m3u8` : null,
    dash_url: isPlayable(asset) && isWhole(asset) ? `${own}manifest.mpd` : null,
    thumbnails: thumbnailKeys.map(urlOf),
    cover_thumbnail_url: coverKey && urlOf(coverKey),
    tracks: [
      ...subtitles.map(({ key, ...words }) => ({ kind: 'subtitles', ...words, url: urlOf(key) })),
      ...storyboard(storyboardKey).map((key) => ({ ...unspoken, url: urlOf(key) })),
    ],
  }
}

const unspoken = { kind: 'storyboard', language: null, label: null }
const storyboard = (key: string | null) => (key === null ? [] : [key])

/** Nobody serves in the clear what is to be protected. */
const isPlayable = ({ playableAt, contentProtection }: Asset) =>
  playableAt !== null && contentProtection === 'disable'

const isWhole = ({ renditions }: Asset) =>
  renditions.every(({ segmentsDone, segmentsTotal }) => segmentsDone === segmentsTotal)

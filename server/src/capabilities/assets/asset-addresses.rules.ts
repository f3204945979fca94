import type { assets as contract } from '@reelkeep/contract'
import { type Asset, storagePrefix } from './assets.rules.ts'

type Addresses = Pick<
  contract.Asset['video'],
  'playback_url' | 'dash_url' | 'thumbnails' | 'cover_thumbnail_url' | 'tracks'
>

/** Where what was made of a video is to be had: under one address for each asset, by the names it has in storage. */
export function playbackUrls(base: string, asset: Asset): Addresses {
  // Nobody serves in the clear what is to be protected, so neither is it told where it would be.
  if (asset.contentProtection !== 'disable') return nowhere
  const { organizationId, id, coverKey, thumbnailKeys, storyboardKey, subtitles } = asset
  const own = `${base}/${organizationId}/${id}/`
  const urlOf = (key: string) => own + key.slice(storagePrefix(organizationId, id).length)
  const isPlayable = asset.playableAt !== null
  return {
    playback_url: isPlayable ? `${own}master.m3u8` : null,
    dash_url: isPlayable && asset.isWhole ? `${own}manifest.mpd` : null,
    thumbnails: thumbnailKeys.map(urlOf),
    cover_thumbnail_url: coverKey && urlOf(coverKey),
    tracks: [
      ...subtitles.map(({ key, ...words }) => ({ kind: 'subtitles', ...words, url: urlOf(key) })),
      ...storyboard(storyboardKey).map((key) => ({ ...unspoken, url: urlOf(key) })),
    ],
  }
}

const nowhere: Addresses = {
  ...{ playback_url: null, dash_url: null, cover_thumbnail_url: null },
  ...{ thumbnails: [], tracks: [] },
}

const unspoken = { kind: 'storyboard', id: null, language: null, label: null, origin: null }
const storyboard = (key: string | null) => (key === null ? [] : [key])

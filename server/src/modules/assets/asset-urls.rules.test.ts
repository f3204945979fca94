import { describe, expect, it, vi } from 'vitest'
import { playbackUrls } from './asset-urls.rules.ts'
import type { Asset } from './assets.rules.ts'

const OWN = 'https://video.example/play/some-token/acme1234/some-asset/'
const KEY = 'acme1234/some-asset/'

const asset = {
  organizationId: 'acme1234',
  id: 'some-asset',
  contentProtection: 'disable',
  playableAt: '2026-01-01T00:00:00Z',
  isWhole: true,
  coverKey: `${KEY}video-pictures-3/cover.jpg`,
  thumbnailKeys: [`${KEY}video-pictures-3/thumbnail-1.jpg`],
  storyboardKey: `${KEY}video-pictures-3/storyboard.vtt`,
  filmstripKey: `${KEY}video-pictures-3/filmstrip.vtt`,
  waveformKey: `${KEY}video-pictures-3/waveform.gz`,
  subtitles: [
    {
      id: 'one',
      language: 'de',
      label: 'Deutsch',
      origin: 'uploaded',
      key: `${KEY}subtitles/one.vtt`,
    },
  ],
}

const urlsOf = (more: Partial<Record<keyof Asset, unknown>> = {}) =>
  playbackUrls(() => OWN, { ...asset, ...more } as unknown as Asset)

describe('playbackUrls', () => {
  it('returns all URLs of a complete video', () => {
    expect(urlsOf()).toEqual({
      playback_url: `${OWN}master.m3u8`,
      dash_url: `${OWN}manifest.mpd`,
      thumbnails: [`${OWN}video-pictures-3/thumbnail-1.jpg`],
      cover_thumbnail_url: `${OWN}video-pictures-3/cover.jpg`,
      waveform_url: `${OWN}video-pictures-3/waveform.gz`,
      tracks: [
        {
          ...{ kind: 'subtitles', id: 'one', language: 'de', label: 'Deutsch', origin: 'uploaded' },
          url: `${OWN}subtitles/one.vtt`,
        },
        {
          ...{ kind: 'storyboard', id: null, origin: null, language: null, label: null },
          url: `${OWN}video-pictures-3/storyboard.vtt`,
        },
        {
          ...{ kind: 'filmstrip', id: null, origin: null, language: null, label: null },
          url: `${OWN}video-pictures-3/filmstrip.vtt`,
        },
      ],
    })
  })

  it('returns the HLS URL when playable and the DASH URL when complete', () => {
    expect(urlsOf({ isWhole: false })).toMatchObject({
      playback_url: `${OWN}master.m3u8`,
      dash_url: null,
    })
  })

  it('returns no manifest URLs before the video is playable', () => {
    expect(urlsOf({ playableAt: null })).toMatchObject({ playback_url: null, dash_url: null })
  })

  it('returns no image URLs before there are images', () => {
    const none = { coverKey: null, thumbnailKeys: [], storyboardKey: null, filmstripKey: null, subtitles: [] }
    expect(urlsOf(none)).toMatchObject({ cover_thumbnail_url: null, thumbnails: [], tracks: [] })
  })

  it('returns only HLS for aes, and HLS and DASH for drm', () => {
    expect(urlsOf({ contentProtection: 'aes' })).toEqual({ ...urlsOf(), dash_url: null })
    expect(urlsOf({ contentProtection: 'drm' })).toEqual(urlsOf())
  })

  it('creates the playback token once for all URLs', () => {
    const baseOf = vi.fn(() => OWN)
    playbackUrls(baseOf, asset as unknown as Asset)
    expect(baseOf).toHaveBeenCalledOnce()
  })
})

import { describe, expect, it } from 'vitest'
import { playbackUrls } from './asset-addresses.rules.ts'
import type { Asset } from './assets.rules.ts'

const OWN = 'https://video.example/play/some-pass/acme1234/some-asset/'
const KEY = 'acme1234/some-asset/'

const made = {
  organizationId: 'acme1234',
  id: 'some-asset',
  contentProtection: 'disable',
  playableAt: '2026-01-01T00:00:00Z',
  isWhole: true,
  coverKey: `${KEY}video-pictures-3/cover.jpg`,
  thumbnailKeys: [`${KEY}video-pictures-3/thumbnail-1.jpg`],
  storyboardKey: `${KEY}video-pictures-3/storyboard.vtt`,
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
  playbackUrls(() => OWN, { ...made, ...more } as unknown as Asset)

describe('addresses', () => {
  it('of a whole video are all there', () => {
    expect(urlsOf()).toEqual({
      playback_url: `${OWN}master.m3u8`,
      dash_url: `${OWN}manifest.mpd`,
      thumbnails: [`${OWN}video-pictures-3/thumbnail-1.jpg`],
      cover_thumbnail_url: `${OWN}video-pictures-3/cover.jpg`,
      tracks: [
        {
          ...{ kind: 'subtitles', id: 'one', language: 'de', label: 'Deutsch', origin: 'uploaded' },
          url: `${OWN}subtitles/one.vtt`,
        },
        {
          ...{ kind: 'storyboard', id: null, origin: null, language: null, label: null },
          url: `${OWN}video-pictures-3/storyboard.vtt`,
        },
      ],
    })
  })

  it('of HLS is there before that of DASH, which waits for all of it', () => {
    expect(urlsOf({ isWhole: false })).toMatchObject({
      playback_url: `${OWN}master.m3u8`,
      dash_url: null,
    })
  })

  it('of playing are none before anything can be played', () => {
    expect(urlsOf({ playableAt: null })).toMatchObject({ playback_url: null, dash_url: null })
  })

  it('of pictures are none before there are any', () => {
    const none = { coverKey: null, thumbnailKeys: [], storyboardKey: null, subtitles: [] }
    expect(urlsOf(none)).toMatchObject({ cover_thumbnail_url: null, thumbnails: [], tracks: [] })
  })

  it('of what is protected by aes are of HLS alone, and by drm of both', () => {
    expect(urlsOf({ contentProtection: 'aes' })).toEqual({ ...urlsOf(), dash_url: null })
    expect(urlsOf({ contentProtection: 'drm' })).toEqual(urlsOf())
  })

  it('of what has none yet need no pass', () => {
    const none = { coverKey: null, thumbnailKeys: [], storyboardKey: null, subtitles: [] }
    const signs = () => {
      throw new Error('signed for nothing')
    }
    const asset = { ...made, ...none, playableAt: null } as unknown as Asset
    expect(() => playbackUrls(signs, asset)).not.toThrow()
    expect(() => playbackUrls(signs, made as unknown as Asset)).toThrow('signed for nothing')
  })
})

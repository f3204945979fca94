import { describe, expect, it } from 'vitest'
import { mediaFileLocationOf, playbackFileOf, playPathOf } from './playback-urls.rules.ts'

describe('playPathOf', () => {
  const asset = '019a83b5-6a40-7c11-9d5e-0f2b7f6c1a2e'

  it.each([
    ['master.m3u8', 'master.m3u8', null],
    ['v2/master.m3u8', 'master.m3u8', 2],
    ['v12/video-encode-3/240p/00000.m4s', 'video-encode-3/240p/00000.m4s', 12],
    ['v2/v3/master.m3u8', 'v3/master.m3u8', 2],
    ['v0/master.m3u8', 'v0/master.m3u8', null],
    ['v02/master.m3u8', 'v02/master.m3u8', null],
    ['v9999999999/master.m3u8', 'v9999999999/master.m3u8', null],
    ['video-encode-3/240p/00000.m4s', 'video-encode-3/240p/00000.m4s', null],
  ])('finds the version in %s', (path, name, version) => {
    expect(playPathOf(`token/acme1234/${asset}/${path}`)).toMatchObject({ assetId: asset, name, version })
  })
})

describe('playbackFileOf', () => {
  it.each([
    ['about.json', { kind: 'about' }],
    ['chapters.vtt', { kind: 'chapters-track' }],
    ['chapters.json', { kind: 'chapters-list' }],
    ['master.m3u8', { kind: 'multivariant' }],
    ['manifest.mpd', { kind: 'dash' }],
    ['240p.m3u8', { kind: 'media', track: '240p' }],
    ['audio.m3u8', { kind: 'media', track: 'audio' }],
    ['1080p-iframes.m3u8', { kind: 'iframes', track: '1080p' }],
    ['keys/0.key', { kind: 'key', period: 0 }],
    ['keys/1440.key', { kind: 'key', period: 1440 }],
    [`keys/${'0f'.repeat(16)}.bin`, { kind: 'content-key', kid: '0f'.repeat(16) }],
    ['license', { kind: 'license' }],
    ['subtitles-de-auto.m3u8', { kind: 'subtitles', track: 'de-auto' }],
  ])('recognizes %s', (path, file) => {
    expect(playbackFileOf(path)).toEqual(file)
  })

  it.each([
    ['video-encode-12/240p/00000.m4s', 'video/mp4'],
    ['video-encode-12-0123456789abcdef/240p/00000.m4s', 'video/mp4'],
    ['video-encode-12/240p/init.mp4', 'video/mp4'],
    ['video-encode-12/audio/00000.m4s', 'audio/mp4'],
    ['video-encode-12/audio/init.mp4', 'audio/mp4'],
    ['video-subtitles-3/de.vtt', 'text/vtt; charset=utf-8'],
    ['video-pictures-9/storyboard/000.jpg', 'image/jpeg'],
  ])('recognizes the media file %s as %s', (name, type) => {
    expect(playbackFileOf(name)).toEqual({ kind: 'object', name, type })
  })

  it.each([
    '',
    'master.m3u8/',
    'constructor',
    'MASTER.M3U8',
    'keys/.key',
    'keys/01.key',
    'keys/-1.key',
    'keys/12345678.key',
    'keys/1.bin',
    '-iframes.m3u8',
    'subtitles-.m3u8',
    `${'a'.repeat(17)}.m3u8`,
    '../other/video-encode-1/240p/00000.m4s',
    'video-encode-1/../../../other/asset/video-encode-1/cover.jpg',
    'video-encode-1/../cover.jpg',
    'video-encode-1/.hidden.jpg',
    'video-encode-1//cover.jpg',
    'video-encode-1/a/b/cover.jpg',
    'video-encode/240p/00000.m4s',
    'video-encode-1-0123456789abcde/240p/00000.m4s',
    'video-encode-1/240p/00000.ts',
    'video-encode-1/probe.json',
    'video-encode-1/cover.jpg\n',
    'video-encode-1/cover%2e.jpg',
    `video-encode-1/${'a'.repeat(65)}.jpg`,
    `${'a'.repeat(100_000)}-1/cover.jpg`,
  ])('rejects a name that we never write: %j', (path) => {
    expect(playbackFileOf(path)).toBeUndefined()
  })
})

it.each([
  ['video-encode-12/240p/00007.m4s', 'video-encode-12/', '240p', 7],
  ['video-encode-12/audio/123456.m4s', 'video-encode-12/', 'audio', 123_456],
  ['video-encode-12/240p/init.mp4', 'video-encode-12/', null, null],
  ['video-encode-12/240p/x.m4s', 'video-encode-12/', null, null],
  // The segment number is larger than the column can store.
  ['video-encode-12/240p/99999999999.m4s', 'video-encode-12/', null, null],
  ['video-pictures-9/storyboard/000.jpg', 'video-pictures-9/', null, null],
])('%s is in %s, track %s, segment %s', (name, folder, track, segment) => {
  expect(mediaFileLocationOf(name)).toEqual({ folder, track, segment })
})

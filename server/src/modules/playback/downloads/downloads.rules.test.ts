import { describe, expect, it } from 'vitest'
import type { PlannedTrack, PlannedVideo } from '../playback.rules.ts'
import {
  attachment,
  chooseRendition,
  extensionOf,
  fileNameOf,
  interleave,
  overlapOf,
  rangeOf,
} from './downloads.rules.ts'

describe('a file name', () => {
  it.each([
    ['Lecture 1', 'mp4', 'Lecture 1.mp4'],
    ['a/b\\c:d*e?f"g<h>i|j\n', 'mov', 'a-b-c-d-e-f-g-h-i-j-.mov'],
    ['..', 'mp4', 'video.mp4'],
    [' .hidden. ', '', 'hidden'],
  ])('of the title %j is safe on every system', (title, extension, name) => {
    expect(fileNameOf(title, extension)).toBe(name)
  })

  it('is at most 204 bytes long, and ends with a whole letter', () => {
    const name = fileNameOf('映'.repeat(255), 'mp4')
    expect(name).toBe(`${'映'.repeat(66)}.mp4`)
  })

  it('is sent in ASCII and in UTF-8', () => {
    expect(attachment(`100 % "Zürich" (it's).mp4`)).toBe(
      `attachment; filename="100 _ _Z_rich_ (it's).mp4"; filename*=UTF-8''100%20%25%20%22Z%C3%BCrich%22%20%28it%27s%29.mp4`,
    )
  })

  it('of a source ends with the extension of its container', () => {
    expect(['matroska', 'quicktime', 'unknown', 'toString', undefined].map(extensionOf)).toEqual([
      'mkv',
      'mov',
      '',
      '',
      '',
    ])
  })
})

const track = (name: string, width: number | null, segmentsDone: number): PlannedTrack => ({
  ...{ name, width, height: width, bitrateMax: 1, segmentsTotal: 3, segmentsDone },
  ...{ codecs: null, initKey: null },
})
const videoOf = (...tracks: PlannedTrack[]) => ({ tracks }) as unknown as PlannedVideo

describe('chooseRendition', () => {
  const video = videoOf(track('240p', 426, 3), track('480p', 854, 3), track('720p', 1280, 2), track('audio', null, 3))

  it('returns the requested rendition, or the largest that is complete', () => {
    expect(chooseRendition(video, '240p')).toBe('240p')
    expect(chooseRendition(video, undefined)).toBe('480p')
  })

  it.each([
    ['720p', video, '720p is not complete. Choose one of: 240p, 480p.'],
    ['1080p', video, '1080p is not complete. Choose one of: 240p, 480p.'],
    [undefined, undefined, 'No rendition is complete yet. Retry later.'],
    [undefined, videoOf(track('240p', 426, 3), track('audio', null, 2)), 'No rendition is complete yet. Retry later.'],
    ['audio', video, 'audio is not complete. Choose one of: 240p, 480p.'],
  ])('refuses %s if it is not complete', (requested, planned, detail) => {
    expect(() => chooseRendition(planned, requested)).toThrow(detail)
  })
})

describe('interleave', () => {
  const trackOf = (name: string, ...bytes: number[]) => ({
    ...{ name, codecs: '', bitrateMax: 1, initUri: '' },
    segments: bytes.map((count, index) => ({ uri: `${name}${index}`, bytes: count, seconds: 4, keyframes: [] })),
  })

  it('puts each audio segment after the video segment of the same time', () => {
    const { segments, groups } = interleave(trackOf('v', 10, 20), trackOf('a', 1, 2, 3))
    expect(segments.map(({ uri }) => uri)).toEqual(['v0', 'a0', 'v1', 'a1', 'a2'])
    expect(groups.map(({ bytes }) => bytes)).toEqual([11, 25])
  })

  it('accepts a video without audio', () => {
    expect(interleave(trackOf('v', 10), undefined).segments).toEqual([{ uri: 'v0', bytes: 10, isAudio: false }])
  })
})

describe('rangeOf', () => {
  it.each([
    ['bytes=0-99', { start: 0, end: 100 }],
    ['bytes=990-', { start: 990, end: 1000 }],
    ['bytes=990-5000', { start: 990, end: 1000 }],
    ['bytes=-10', { start: 990, end: 1000 }],
    ['bytes=-5000', { start: 0, end: 1000 }],
    ['bytes=1000-', 'outside'],
    ['bytes=-0', 'outside'],
    ['bytes=5-4', undefined],
    ['bytes=-', undefined],
    ['bytes=0-1,3-4', undefined],
    [undefined, undefined],
  ])('reads %s', (header, range) => {
    expect(rangeOf(header, 1000)).toEqual(range)
  })
})

it('overlapOf returns the bytes of a block that are in the range', () => {
  const range = { start: 10, end: 20 }
  expect(overlapOf(range, 0, 10)).toBeUndefined()
  expect(overlapOf(range, 5, 10)).toEqual({ start: 5, end: 10 })
  expect(overlapOf(range, 15, 10)).toEqual({ start: 0, end: 5 })
  expect(overlapOf(range, 20, 10)).toBeUndefined()
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type EncodedVideo,
  findTrack,
  isWhole,
  listingOf,
  type PlannedTrack,
  type PublishedPart,
  shownTracks,
  streamOf,
  streamStateOf,
} from './playback.rules.ts'

const PREFIX = 'acme12/asset/'
const SEGMENTS = 6

const track = (name: string, segmentsTotal = SEGMENTS): PlannedTrack => {
  const height = name === 'audio' ? null : Number.parseInt(name, 10)
  return {
    name,
    width: height && height * 2,
    height,
    bitrateMax: 1000,
    segmentsTotal,
    segmentsDone: 0,
    codecs: 'some.codec',
    initKey: `${PREFIX}video-encode-1/${name}/init.mp4`,
  }
}

/** Segments from `first` up to, not including, `end`. */
const part = (rendition: string, first: number, end: number): PublishedPart => ({
  rendition,
  firstSegment: first,
  prefix: `${PREFIX}video-encode-${first + 1}/`,
  count: end - first,
  segments: Array.from({ length: end - first }, () => ({ bytes: 100, seconds: 4, keyframes: [] })),
})

const video = (
  parts: readonly PublishedPart[],
  tracks: readonly PlannedTrack[] = [track('240p'), track('720p'), track('audio')],
): EncodedVideo => ({
  plan: {
    durationSeconds: 4 * SEGMENTS,
    frameRate: { numerator: 30, denominator: 1 },
    segmentFrames: 120,
    gopFrames: 60,
    audio: { channels: 2, sampleRate: 48_000 },
  },
  tracks: tracks.map((one) => ({ ...one, segmentsDone: doneOf(one, parts) })),
  parts,
})

const doneOf = ({ name }: PlannedTrack, parts: readonly PublishedPart[]) =>
  parts.filter(({ rendition }) => rendition === name).reduce((sum, { count }) => sum + count, 0)

const stream = (encoded: EncodedVideo, hasEnded = false) =>
  streamOf(encoded, streamStateOf(encoded, hasEnded), PREFIX, [])

const shown = (parts: readonly PublishedPart[], tracks?: readonly PlannedTrack[]) =>
  shownTracks(video(parts, tracks)).map(
    ({ name, segments, isListed }) => `${name} ${segments}${isListed ? '' : ' unlisted'}`,
  )

describe('shownTracks', () => {
  it('shows no track before anything is published', () => {
    expect(shown([])).toEqual([])
  })

  it('shows the smallest rendition and the audio once their first segments are published', () => {
    expect(shown([part('240p', 0, 2), part('audio', 0, 2)])).toEqual(['240p 2', 'audio 2'])
  })

  it('shows video only as far as the audio reaches, and none without audio', () => {
    expect(shown([part('240p', 0, 3), part('audio', 0, 2)])).toEqual(['240p 2', 'audio 2'])
    expect(shown([part('240p', 0, 3)])).toEqual([])
    expect(shown([part('audio', 0, 3)])).toEqual([])
  })

  it('shows the video segments of a video without audio', () => {
    expect(shown([part('240p', 0, 3)], [track('240p')])).toEqual(['240p 3'])
  })

  it('shows all video segments if the complete audio has one segment less', () => {
    const tracks = [track('240p'), track('audio', SEGMENTS - 1)]
    const parts = [part('240p', 0, 6), part('audio', 0, 5)]
    expect(shown(parts, tracks)).toEqual(['240p 6', 'audio 5'])
  })

  it('shows no segments after a gap', () => {
    const parts = [part('240p', 0, 2), part('240p', 4, 6), part('audio', 0, 6)]
    expect(shown(parts)).toEqual(['240p 2', 'audio 6'])
    expect(shown([part('240p', 1, 6), part('audio', 0, 6)])).toEqual([])
  })

  it('lists a larger rendition once it reaches as far as the smallest', () => {
    const opening = [part('240p', 0, 2), part('audio', 0, 6)]
    expect(shown([...opening, part('720p', 0, 1)])).toEqual(['240p 2', '720p 1 unlisted', 'audio 6'])
    expect(shown([...opening, part('720p', 0, 2)])).toEqual(['240p 2', '720p 2', 'audio 6'])
    expect(shown([...opening, part('720p', 0, 4)])).toEqual(['240p 2', '720p 4', 'audio 6'])
  })

  it('lists a larger rendition if no smaller one is published yet', () => {
    expect(shown([part('720p', 0, 4), part('audio', 0, 4)])).toEqual(['720p 4', 'audio 4'])
  })

  it('shows no track without an init segment', () => {
    const tracks = [{ ...track('240p'), initKey: null }]
    expect(shown([part('240p', 0, 6)], tracks)).toEqual([])
  })
})

it('the shown length of a track never decreases, whatever the order of the parts', () => {
  const all = ['240p', '720p', 'audio'].flatMap((name) => [part(name, 0, 2), part(name, 2, 4), part(name, 4, 6)])
  fc.assert(
    fc.property(fc.shuffledSubarray(all, { minLength: all.length }), (order) => {
      let before = new Map<string, number>()
      for (let count = 1; count <= order.length; count++) {
        const published = order.slice(0, count).sort((a, b) => a.firstSegment - b.firstSegment)
        const now = shownTracks(video(published))
        const reach = new Map(now.map(({ name, segments }) => [name, segments]))
        for (const [name, segments] of before) {
          expect(reach.get(name) ?? 0).toBeGreaterThanOrEqual(segments)
        }
        const [smallest, ...larger] = now.filter(({ name, isListed }) => isListed && name !== 'audio')
        for (const { segments } of larger) {
          expect(segments).toBeGreaterThanOrEqual(smallest?.segments ?? 0)
        }
        before = reach
      }
      expect([...before.values()]).toEqual([6, 6, 6])
    }),
  )
})

describe('a stream', () => {
  const whole = ['240p', '720p', 'audio'].map((name) => part(name, 0, SEGMENTS))

  it('is whole once the last segment is published', () => {
    expect(isWhole(video(whole))).toBe(true)
    expect(stream(video(whole))).toMatchObject({
      growth: 'whole',
      segmentSeconds: 4,
      keyframeSeconds: 2,
    })
    expect(isWhole(video(whole.slice(1)))).toBe(false)
    expect(isWhole(video([], []))).toBe(false)
  })

  it('has stopped, and is not whole, when processing has ended early', () => {
    const opening = video([part('240p', 0, 2), part('audio', 0, 2)])
    const stopped = stream(opening, true)
    expect(stopped.growth).toBe('stopped')
    expect(stream(opening).growth).toBe('growing')
    expect(stopped.video.map(({ name, segments }) => [name, segments.length])).toEqual([['240p', 2]])
  })

  it('is listed with the bitrates of its tracks', () => {
    const encoded = video([part('240p', 0, 2), part('720p', 0, 1), part('audio', 0, 2)])
    const rates = (rendition: string, isKeyframe: boolean, peak: number) => ({
      ...{ rendition, isKeyframe, peak },
      average: 1,
    })
    const found = [rates('audio', false, 3), rates('240p', true, 4), rates('240p', false, 5)]
    const listing = listingOf(encoded, streamStateOf(encoded, false), found, [])
    expect(listing).toMatchObject({
      growth: 'growing',
      video: [{ name: '240p', rates: { peak: 5 }, keyframeRates: { peak: 4 } }],
      audio: { name: 'audio', channels: 2, rates: { peak: 3 } },
    })
    expect(listing.video).toHaveLength(1)
    expect(() => listingOf(encoded, streamStateOf(encoded, false), [], [])).toThrow('Nothing to play here')
  })

  it('names segments by their attempt, relative to the manifests', () => {
    const parts = [part('240p', 0, 2), part('240p', 2, 3), part('audio', 0, 3)]
    const { video: tracks, audio } = stream(video(parts))
    expect(tracks[0]?.initUri).toBe('video-encode-1/240p/init.mp4')
    expect(tracks[0]?.segments.map(({ uri }) => uri)).toEqual([
      'video-encode-1/240p/00000.m4s',
      'video-encode-1/240p/00001.m4s',
      'video-encode-3/240p/00002.m4s',
    ])
    expect(audio).toMatchObject({ name: 'audio', channels: 2, sampleRate: 48_000 })
  })

  it('does not list a track that lags behind but still serves it', () => {
    const parts = [part('240p', 0, 2), part('720p', 0, 1), part('audio', 0, 6)]
    expect(stream(video(parts)).video.map(({ name }) => name)).toEqual(['240p'])
    expect(findTrack(video(parts), PREFIX, '720p')?.segments).toHaveLength(1)
    expect(findTrack(video(parts), PREFIX, '480p')).toBeUndefined()
  })

  it('rejects a storage key of another video', () => {
    const parts = [{ ...part('240p', 0, 2), prefix: 'acme12/other/x-1/' }]
    expect(() => stream(video(parts, [track('240p')]))).toThrow('does not start with')
  })
})

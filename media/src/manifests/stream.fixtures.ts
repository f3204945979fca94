/** Streams for tests of HLS and DASH output: a small stream, and a generator of arbitrary streams. */
import fc from 'fast-check'
import { peakRate } from './rates.ts'
import type { AudioTrack, Growth, Listing, Rates, Stream, StreamSegment, SubtitleTrack, VideoTrack } from './stream.ts'

const keyframe = { offset: 0, seconds: 2 }

/** A stream of six seconds, with two rungs, audio and automatic subtitles. */
export const smallStream: Stream = {
  growth: 'whole',
  durationSeconds: 6,
  segmentSeconds: 4,
  keyframeSeconds: 2,
  video: [
    {
      name: '240p',
      codecs: 'avc1.64000d',
      width: 426,
      height: 240,
      frameRate: { numerator: 30, denominator: 1 },
      bitrateMax: 400_000,
      initUri: 'video-encode-1/240p/init.mp4',
      segments: [
        {
          uri: 'video-encode-1/240p/00000.m4s',
          bytes: 100_000,
          seconds: 4,
          keyframes: [
            { ...keyframe, bytes: 9000 },
            { ...keyframe, offset: 50_000, bytes: 8000 },
          ],
        },
        {
          uri: 'video-encode-2/240p/00001.m4s',
          bytes: 60_000,
          seconds: 2,
          keyframes: [{ ...keyframe, bytes: 10_000 }],
        },
      ],
    },
    {
      name: '720p',
      codecs: 'avc1.64001f',
      width: 1280,
      height: 720,
      frameRate: { numerator: 30, denominator: 1 },
      bitrateMax: 3_000_000,
      initUri: 'video-encode-2/720p/init.mp4',
      segments: [
        {
          uri: 'video-encode-2/720p/00000.m4s',
          bytes: 1_000_000,
          seconds: 4,
          keyframes: [{ offset: 0, bytes: 90_000, seconds: 4 }],
        },
        {
          uri: 'video-encode-2/720p/00001.m4s',
          bytes: 400_000,
          seconds: 2,
          keyframes: [{ ...keyframe, bytes: 80_000 }],
        },
      ],
    },
  ],
  audio: {
    name: 'audio',
    codecs: 'mp4a.40.2',
    channels: 2,
    sampleRate: 48_000,
    language: 'de',
    bitrateMax: 128_000,
    initUri: 'video-encode-1/audio/init.mp4',
    segments: [
      {
        uri: 'video-encode-1/audio/00000.m4s',
        bytes: 64_171,
        seconds: 192_512 / 48_000,
        keyframes: [],
      },
      {
        uri: 'video-encode-2/audio/00001.m4s',
        bytes: 32_000,
        seconds: 96_256 / 48_000,
        keyframes: [],
      },
    ],
  },
  subtitles: [
    {
      name: 'de-auto',
      language: 'de',
      label: 'Deutsch "auto" & mehr',
      isAutomatic: true,
      uri: 'video-subtitles-7/de.vtt',
    },
  ],
}

type Chunk = { readonly bytes: number; readonly seconds: number }

function ratesOf(chunks: readonly Chunk[]): Rates {
  const bytes = chunks.reduce((sum, chunk) => sum + chunk.bytes, 0)
  const seconds = chunks.reduce((sum, chunk) => sum + chunk.seconds, 0)
  return { peak: peakRate(chunks), average: Math.ceil((bytes * 8) / seconds) }
}

/** Converts a stream to the content of its multivariant playlist. */
export const listed = (stream: Stream): Listing => ({
  ...stream,
  video: stream.video.map((track) => ({
    ...track,
    rates: ratesOf(track.segments),
    keyframeRates: ratesOf(track.segments.flatMap(({ keyframes }) => keyframes)),
  })),
  audio: stream.audio && { ...stream.audio, rates: ratesOf(stream.audio.segments) },
})

const frameRates = [
  { numerator: 24_000, denominator: 1001 },
  { numerator: 25, denominator: 1 },
  { numerator: 30_000, denominator: 1001 },
  { numerator: 60, denominator: 1 },
  { numerator: 15, denominator: 1 },
]

const SAMPLES_IN_A_FRAME = 1024

/** Creates segments of equal length; the last segment has the remaining frames. */
function cutSegments(track: string, frames: number, framesEach: number, rate: number): StreamSegment[] {
  const segments: StreamSegment[] = []
  for (let from = 0; from < frames; from += framesEach) {
    const number = String(segments.length).padStart(5, '0')
    const seconds = Math.min(framesEach, frames - from) / rate
    const bytes = 1000 + ((from * 7919) % 50_000)
    segments.push({
      uri: `video-encode-${1 + (from % 3)}/${track}/${number}.m4s`,
      bytes,
      seconds,
      keyframes: track === 'audio' ? [] : [{ offset: 0, bytes: 700, seconds }],
    })
  }
  return segments
}

const initOf = (track: string) => `video-encode-1/${track}/init.mp4`

const videoTracks = fc
  .record({
    rate: fc.constantFrom(...frameRates),
    frames: fc.integer({ min: 1, max: 3000 }),
    names: fc.constantFrom(['240p'], ['240p', '720p'], ['240p', '480p', '1080p']),
  })
  .map(({ rate, frames, names }) =>
    names.map((name): VideoTrack => {
      const height = Number.parseInt(name, 10)
      const fps = rate.numerator / rate.denominator
      return {
        name,
        codecs: 'avc1.64001f',
        width: 2 * Math.round((height * 8) / 9),
        height,
        frameRate: rate,
        bitrateMax: height * 4000,
        initUri: initOf(name),
        segments: cutSegments(name, frames, 2 * Math.round(2 * fps), fps),
      }
    }),
  )

const audioTrack = fc
  .record({
    language: fc.constantFrom(undefined, 'de', 'pt-BR'),
    frames: fc.integer({ min: 1, max: 9999 }),
  })
  .map(
    ({ language, frames }): AudioTrack => ({
      name: 'audio',
      codecs: 'mp4a.40.2',
      channels: 2,
      sampleRate: 48_000,
      ...(language && { language }),
      bitrateMax: 128_000,
      initUri: initOf('audio'),
      segments: cutSegments('audio', frames, 188, 48_000 / SAMPLES_IN_A_FRAME),
    }),
  )

const subtitleTracks = fc.uniqueArray(
  fc.record({
    name: fc.stringMatching(/^[a-z0-9]{1,8}$/),
    language: fc.constantFrom('de', 'en', 'pt-BR'),
    // The letter avoids names of Object.prototype ("valueOf"), which break the DASH parser, also with a control
    // character that the manifest leaves out ("toString\0").
    label: fc.string({ unit: 'binary', maxLength: 20 }).map((text) => `L${text}`),
    isAutomatic: fc.boolean(),
    uri: fc.constant('video-subtitles-7/de.vtt'),
  }),
  { selector: ({ name }: SubtitleTrack) => name, maxLength: 3 },
)

const growths: readonly Growth[] = ['growing', 'stopped', 'whole']

export const anyStream: fc.Arbitrary<Stream> = fc
  .record({
    growth: fc.constantFrom(...growths),
    video: videoTracks,
    audio: fc.option(audioTrack),
    subtitles: subtitleTracks,
  })
  .map(({ video, ...stream }) => {
    const { numerator, denominator } = video[0]?.frameRate ?? { numerator: 1, denominator: 1 }
    const keyframeSeconds = (Math.round((2 * numerator) / denominator) * denominator) / numerator
    const lengths = (video[0]?.segments ?? []).map(({ seconds }) => seconds)
    return {
      ...stream,
      video,
      segmentSeconds: 2 * keyframeSeconds,
      keyframeSeconds,
      durationSeconds: lengths.reduce((sum, seconds) => sum + seconds, 0),
    }
  })

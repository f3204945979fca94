/** The result of a probe, as plain JSON, and how it is read from ffprobe's output. */

import type { Container } from '../container/container.ts'
import type { FfprobeDocument, FfprobeStream } from '../ffprobe-document.ts'
import { CHAPTERS_MAX } from '../probe-limits.ts'
import { isTextSubtitle } from './codecs.ts'
import { cleanLanguage } from './language-tag.ts'
import { type Rational, readRational, toNumber } from './rational.ts'
import { readVideo, type VideoFacts } from './video-facts.ts'

export type AudioFacts = {
  readonly streamIndex: number
  readonly codec: string
  readonly channels: number
  readonly layout?: string
  readonly sampleRate: number
  readonly language?: string
  readonly isDefault: boolean
  readonly title?: string
  readonly startSeconds: number
}

export type SubtitleFacts = {
  readonly streamIndex: number
  readonly codec: string
  readonly language?: string
  readonly title?: string
  /** Whether the subtitles are text; false for subtitles that are stored as images. */
  readonly isText: boolean
}

/** A chapter as stored in the file. If the video was cut, a chapter may start before the video. */
export type ChapterFacts = {
  readonly startSeconds: number
  readonly endSeconds: number
  readonly title: string
}

export type Probe = {
  readonly container: Container
  readonly bytes: number
  /** The longest duration of the container and its streams. */
  readonly durationSeconds: number
  readonly video: VideoFacts
  readonly audio: readonly AudioFacts[]
  readonly subtitles: readonly SubtitleFacts[]
  readonly chapters: readonly ChapterFacts[]
}

export type { Rational, VideoFacts }

/** Time base of an MP4 track. */
export type TrackClock = {
  readonly id: number
  /** Duration of a tick in seconds. */
  readonly tick: Rational
  /** Samples per second; for a video track, this is the frame rate. */
  readonly samplesPerSecond: number | undefined
}

/** Content of the header. Values that are missing there may be determined in another way. */
export type HeaderFacts = Omit<Probe, 'durationSeconds' | 'video' | 'bytes'> & {
  readonly durationSeconds: number | undefined
  /** Start of the first stream: a recording may keep the timestamps of the stream that it was cut from. */
  readonly startSeconds: number
  readonly video: VideoFacts | undefined
  /** True if the header of a video stream has no frame size. */
  readonly hasUnreadableVideo: boolean
  readonly clocks: readonly TrackClock[]
  /** Number of streams, not counting attachments. */
  readonly streamCount: number
}

export function readHeaderFacts(document: FfprobeDocument, container: Container): HeaderFacts {
  const { streams } = document
  const videos = streams.filter(isVideoStream)
  const readable = videos.filter((stream) => readVideo(stream) !== undefined)
  const main = readable.find(({ disposition }) => disposition?.default) ?? readable[0]
  return {
    container,
    durationSeconds: longestDuration(document),
    startSeconds: document.format.start_time ?? 0,
    video: main && readVideo(main),
    hasUnreadableVideo: videos.length > readable.length,
    audio: streams.filter(({ codec_type }) => codec_type === 'audio').map(readAudio),
    subtitles: streams.filter(({ codec_type }) => codec_type === 'subtitle').map(readSubtitle),
    chapters: document.chapters.slice(0, CHAPTERS_MAX).flatMap(readChapter),
    clocks: streams.flatMap(readClock),
    streamCount: streams.filter(({ codec_type }) => codec_type !== 'attachment').length,
  }
}

/** Whether a stream is a video; false for cover images, which also have a video codec. */
const isVideoStream = ({ codec_type, disposition }: FfprobeStream) =>
  codec_type === 'video' && !disposition?.attached_pic && !disposition?.still_image && !disposition?.timed_thumbnails

const timedTypes = ['video', 'audio']

function longestDuration({ format, streams }: FfprobeDocument): number | undefined {
  const timedStreams = streams.filter(
    (stream) => timedTypes.includes(stream.codec_type ?? '') && !stream.disposition?.attached_pic,
  )
  return (
    longest([format.duration, ...timedStreams.map(({ duration }) => duration)]) ??
    longest(timedStreams.map(({ tags }) => parseDurationTag(tags?.DURATION)))
  )
}

function longest(durations: readonly (number | undefined)[]): number | undefined {
  const known = durations.filter((seconds) => seconds !== undefined && seconds > 0)
  return known.length === 0 ? undefined : Math.max(...known.map(Number))
}

/**
 * Duration tag written by Matroska muxers: "00:00:06.040000000". Programs that cut a file may copy
 * it unchanged, so it is used only if there is no other value.
 */
function parseDurationTag(text: string | undefined): number | undefined {
  const match = /^(\d{1,4}):(\d\d):(\d\d(?:\.\d{1,9})?)$/.exec(text ?? '')
  if (!match) return undefined
  return Number(match[1]) * 3600 + Number(match[2]) * 60 + Number(match[3])
}

function readClock({ id, time_base, avg_frame_rate }: FfprobeStream): TrackClock[] {
  const tick = readRational(time_base)
  const rate = readRational(avg_frame_rate)
  if (!tick || !/^0x[0-9a-f]{1,8}$/.test(id ?? '')) return []
  return [{ id: Number(id), tick, samplesPerSecond: rate && toNumber(rate) }]
}

const readAudio = (stream: FfprobeStream): AudioFacts => ({
  streamIndex: stream.index,
  codec: stream.codec_name ?? 'unknown',
  channels: stream.channels ?? 0,
  ...known('layout', stream.channel_layout),
  sampleRate: stream.sample_rate ?? 0,
  ...known('language', cleanLanguage(stream.tags?.language)),
  isDefault: stream.disposition?.default ?? false,
  ...known('title', stream.tags?.title),
  startSeconds: stream.start_time ?? 0,
})

const readSubtitle = (stream: FfprobeStream): SubtitleFacts => ({
  streamIndex: stream.index,
  codec: stream.codec_name ?? 'unknown',
  ...known('language', cleanLanguage(stream.tags?.language)),
  ...known('title', stream.tags?.title),
  isText: isTextSubtitle(stream.codec_name ?? ''),
})

function readChapter({ start_time, end_time, tags }: FfprobeDocument['chapters'][number]): ChapterFacts[] {
  if (start_time === undefined || end_time === undefined || end_time < start_time) return []
  return [{ startSeconds: start_time, endSeconds: end_time, title: tags?.title ?? '' }]
}

/** Omits the field if the value is undefined, because the result becomes JSON. */
function known<Name extends string, Value>(name: Name, value: Value | undefined): Partial<Record<Name, Value>> {
  return value === undefined ? {} : ({ [name]: value } as Record<Name, Value>)
}

/** What is known of a video, as plain JSON; and how it is read from ffprobe's words. */
import { isTextSubtitle } from './codecs.ts'
import type { Container } from './container.ts'
import type { FfprobeDocument, FfprobeStream } from './ffprobe-document.ts'
import { cleanLanguage } from './language-tag.ts'
import { CHAPTERS_MAX } from './probe-limits.ts'
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
  /** Words, and not pictures of words. */
  readonly isText: boolean
}

/** As the file says it: a part that was cut out of a video may have chapters that begin before it. */
export type ChapterFacts = {
  readonly startSeconds: number
  readonly endSeconds: number
  readonly title: string
}

export type Probe = {
  readonly container: Container
  readonly bytes: number
  /** The longest of what the container and its streams say. */
  readonly durationSeconds: number
  readonly video: VideoFacts
  readonly audio: readonly AudioFacts[]
  readonly subtitles: readonly SubtitleFacts[]
  readonly chapters: readonly ChapterFacts[]
}

export type { Rational, VideoFacts }

/** What the times of an MP4 track mean. */
export type TrackClock = {
  readonly id: number
  /** In seconds. */
  readonly tick: Rational
  /** Of a video, its frames. */
  readonly samplesPerSecond: number | undefined
}

/** What the header says; what it does not say may be found elsewhere. */
export type HeaderFacts = Omit<Probe, 'durationSeconds' | 'video' | 'bytes'> & {
  readonly durationSeconds: number | undefined
  /** When the first of its streams begins: a recording may go on with the clock of what it was cut from. */
  readonly startSeconds: number
  readonly video: VideoFacts | undefined
  /** There is a video whose header does not tell what it is. */
  readonly hasUnreadableVideo: boolean
  readonly clocks: readonly TrackClock[]
  /** Attached files not counted. */
  readonly streamCount: number
}

export function readHeaderFacts(document: FfprobeDocument, container: Container): HeaderFacts {
  const { streams } = document
  const videos = streams.filter(isMovingPicture)
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
    clocks: streams.flatMap(readClockOf),
    streamCount: streams.filter(({ codec_type }) => codec_type !== 'attachment').length,
  }
}

/** A cover is a video stream by its codec only. */
const isMovingPicture = ({ codec_type, disposition }: FfprobeStream) =>
  codec_type === 'video' &&
  !disposition?.attached_pic &&
  !disposition?.still_image &&
  !disposition?.timed_thumbnails

const timed = ['video', 'audio']

function longestDuration({ format, streams }: FfprobeDocument): number | undefined {
  const moving = streams.filter(
    (stream) => timed.includes(stream.codec_type ?? '') && !stream.disposition?.attached_pic,
  )
  return (
    longest([format.duration, ...moving.map(({ duration }) => duration)]) ??
    longest(moving.map(({ tags }) => readClock(tags?.DURATION)))
  )
}

function longest(said: readonly (number | undefined)[]): number | undefined {
  const known = said.filter((seconds) => seconds !== undefined && seconds > 0)
  return known.length === 0 ? undefined : Math.max(...known.map(Number))
}

/**
 * A note of a stream's duration that Matroska's muxers leave: "00:00:06.040000000". Whatever cuts a
 * file may copy it unchanged, so it counts where nothing else is said.
 */
function readClock(text: string | undefined): number | undefined {
  const match = /^(\d{1,4}):(\d\d):(\d\d(?:\.\d{1,9})?)$/.exec(text ?? '')
  if (!match) return undefined
  return Number(match[1]) * 3600 + Number(match[2]) * 60 + Number(match[3])
}

function readClockOf({ id, time_base, avg_frame_rate }: FfprobeStream): TrackClock[] {
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

function readChapter({
  start_time,
  end_time,
  tags,
}: FfprobeDocument['chapters'][number]): ChapterFacts[] {
  if (start_time === undefined || end_time === undefined || end_time < start_time) return []
  return [{ startSeconds: start_time, endSeconds: end_time, title: tags?.title ?? '' }]
}

/** A field that is absent rather than undefined: it becomes JSON. */
function known<Name extends string, Value>(
  name: Name,
  value: Value | undefined,
): Partial<Record<Name, Value>> {
  return value === undefined ? {} : ({ [name]: value } as Record<Name, Value>)
}

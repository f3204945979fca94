/** Whether a video can be used, and what its uploader is told if not: pure. Numbers come from probe-limits.ts. */
import type { Ending } from '../sandbox/ending.ts'
import { isSupportedVideoCodec } from './codecs.ts'
import { type Container, containers } from './container.ts'
import type { Mistake } from './mistakes.ts'
import type { HeaderFacts, Probe } from './probe-facts.ts'
import {
  BYTES_PER_SECOND_MIN,
  DURATION_SECONDS_MAX,
  DURATION_SECONDS_MIN,
  FRAMES_PER_SECOND_MIN,
  PICTURE_PIXELS_MAX,
  PICTURE_SIDE_MAX,
  SPARSE_AFTER_SECONDS,
  STREAMS_MAX,
} from './probe-limits.ts'
import { toNumber } from './rational.ts'
import { ProbeInterrupted, UnusableMedia } from './unusable-media.ts'
import type { VideoFacts } from './video-facts.ts'

const accepted =
  'MP4, MOV, MKV, WebM, AVI, MPEG-TS, MPEG-PS, FLV, WMV, MXF and Ogg files are accepted'

export function judgeMistake(mistake: Mistake): UnusableMedia {
  const { kind, looksLike } = mistake
  if (kind === 'audio') return noVideo(`This is ${looksLike}: sound without a picture.`)
  if (kind === 'other-container') {
    return new UnusableMedia(
      'container_not_supported',
      `This is ${looksLike}, which is not read here. ${accepted}: please convert it to one of these.`,
    )
  }
  const what = looksLike ? `It looks like ${looksLike}.` : 'Nothing in it is known as one.'
  return new UnusableMedia('not_a_video', `This is not a video file. ${what} ${accepted}.`)
}

const noVideo = (what: string) =>
  new UnusableMedia('no_video_stream', `${what} Please upload a file that has a video in it.`)

export const damaged = (what: string) =>
  new UnusableMedia(
    'file_damaged',
    `${what} Please check that the file plays on your computer, and upload it again.`,
  )

const withCommas = new Intl.NumberFormat('en-GB')

/**
 * The header was written for more than there is. What it tells of may not be the last thing in the
 * file: "at least".
 */
export const cutOff = (bytesMin: number, bytes: number) =>
  damaged(
    `The file is cut off: it should have at least ${withCommas.format(bytesMin)} bytes, but only ${withCommas.format(bytes)} arrived.`,
  )

export const tooCostly = (what: string) =>
  new UnusableMedia(
    'probe_too_costly',
    `Looking into this file ${what}, which no ordinary video does. Please convert it with a video editor and upload the result.`,
  )

type EndedRun = { readonly ending: Ending; readonly stderr: string }

const costs = {
  time: 'took far too long',
  cpu: 'took far too much computing time',
  memory: 'took far too much memory',
  output: 'brought up far too many tracks, chapters or faults',
  file: 'wrote far too much',
} as const

/**
 * What a run that was not left to its own end means: the file's fault, or no verdict. Undefined: it
 * came to its end.
 */
export function judgeEnding(
  { ending, stderr }: EndedRun,
  container: Container,
): UnusableMedia | ProbeInterrupted | undefined {
  switch (ending.kind) {
    case 'limit':
      return judgeLimit(ending.limit, stderr)
    case 'crashed':
    case 'strange-output':
      return damaged(
        `This ${containers[container].title} file is damaged in a way that makes it unreadable.`,
      )
    case 'killed':
      return new ProbeInterrupted('killed', `The program was killed (${ending.signal})`)
    case 'not-started':
      return new ProbeInterrupted(
        'sandbox-failed',
        `The program could not be started: ${ending.reason}`,
      )
    case 'aborted':
      return new ProbeInterrupted('aborted', 'The probe was called off')
    case 'exited':
      return undefined
  }
}

function judgeLimit(limit: keyof typeof costs, stderr: string): UnusableMedia | ProbeInterrupted {
  // FFmpeg calls it a want of memory, too, when it has read as many streams as it may.
  const verdict = findComplaint(stderr) ?? tooCostly(costs[limit])
  if (limit !== 'time') return verdict
  return new ProbeInterrupted('too-slow', 'The program did not end in its time', { cause: verdict })
}

/** ffprobe's complaints that say more than that it could not read the file. */
const complaints: readonly (readonly [RegExp, () => UnusableMedia])[] = [
  [/Number of streams exceeds max_streams/, () => tooManyStreams('more than')],
  [/exceeds specified max pixel count/, () => pictureTooLarge('')],
  [
    /moov atom not found/,
    () =>
      damaged(
        'The index of this video (its "moov" part) is missing: it was not uploaded or recorded to its end.',
      ),
  ],
]

const findComplaint = (stderr: string) =>
  complaints.find(([pattern]) => pattern.test(stderr))?.[1]()

/** The decoder that FFmpeg was not allowed to use, by its complaint. */
export const refusedDecoder = (stderr: string) =>
  /Codec \(([\w-]{1,40})\) not on whitelist/.exec(stderr)?.[1]

/** ffprobe ended, with nothing to show for it. */
export function judgeUnread(stderr: string, container: Container): UnusableMedia {
  const refused = refusedDecoder(stderr)
  if (refused) return codecNotSupported(refused)
  return (
    findComplaint(stderr) ??
    damaged(
      `This begins like a file of the type ${containers[container].title}, but cannot be read.`,
    )
  )
}

const tooManyStreams = (count: string) =>
  new UnusableMedia(
    'too_many_streams',
    `This file has ${count} ${STREAMS_MAX} tracks (pictures, sounds, subtitles); ${STREAMS_MAX} are the most. Please remove those that are not needed.`,
  )

const pictureTooLarge = (size: string) =>
  new UnusableMedia(
    'picture_too_large',
    `The picture${size} is too large: at most ${PICTURE_SIDE_MAX} pixels a side and ${PICTURE_PIXELS_MAX} in all (8192 × 4320). Please scale it down.`,
  )

/** What the header says, before anything is decoded. */
export function judgeHeader(facts: HeaderFacts, stderr: string): VideoFacts {
  if (facts.streamCount > STREAMS_MAX) throw tooManyStreams(`${facts.streamCount}, more than`)
  const { video } = facts
  if (!video) throw judgeNoVideo(facts, stderr)
  const { codec, storedWidth, storedHeight, width, height } = video
  if (!isSupportedVideoCodec(codec)) throw codecNotSupported(codec)
  if (isTooLarge(storedWidth, storedHeight)) {
    throw pictureTooLarge(` of ${storedWidth} × ${storedHeight} pixels`)
  }
  if (isTooLarge(width, height)) {
    throw pictureTooLarge(`, shown with ${width} × ${height} pixels,`)
  }
  return video
}

const isTooLarge = (width: number, height: number) =>
  Math.max(width, height) > PICTURE_SIDE_MAX || width * height > PICTURE_PIXELS_MAX

function judgeNoVideo(facts: HeaderFacts, stderr: string): UnusableMedia {
  if (facts.hasUnreadableVideo) {
    if (/exceeds specified max pixel count/.test(stderr)) return pictureTooLarge('')
    return damaged('The file says that it has a video, but not how large its picture is.')
  }
  if (facts.audio.length > 0) return noVideo('There is sound in this file, but no moving picture.')
  if (facts.streamCount === 0) return damaged('There is nothing in this file that could be played.')
  return noVideo('There is no moving picture in this file.')
}

export const codecNotSupported = (codec: string) =>
  new UnusableMedia(
    'codec_not_supported',
    `The video is compressed with "${codec}", which is not read here. Please convert it, for instance to H.264.`,
  )

/** Everything is known. */
export function judgeProbe(probe: Probe): Probe {
  const { durationSeconds } = probe
  if (durationSeconds > DURATION_SECONDS_MAX) {
    throw new UnusableMedia(
      'video_too_long',
      `The video lasts ${hours(durationSeconds)} by its own account; ${hours(DURATION_SECONDS_MAX)} are the most. Please cut it into parts.`,
    )
  }
  if (durationSeconds < DURATION_SECONDS_MIN) {
    throw new UnusableMedia(
      'video_too_short',
      `The video lasts ${durationSeconds.toFixed(3)} seconds; ${DURATION_SECONDS_MIN} seconds are the least.`,
    )
  }
  if (durationSeconds > SPARSE_AFTER_SECONDS && isSparse(probe)) {
    throw new UnusableMedia(
      'sparse_video',
      `The video has less than one picture every ${1 / FRAMES_PER_SECOND_MIN} seconds over ${hours(durationSeconds)}. Please export it again with a steady frame rate.`,
    )
  }
  return probe
}

const isSparse = ({ video, durationSeconds, bytes }: Probe) =>
  framesPerSecond(video, durationSeconds) < FRAMES_PER_SECOND_MIN ||
  bytes / durationSeconds < BYTES_PER_SECOND_MIN

/** Counted, if the container counts; otherwise as it announces. */
function framesPerSecond({ frames, frameRate }: VideoFacts, durationSeconds: number): number {
  if (frames !== undefined && frames > 0) return frames / durationSeconds
  return frameRate ? toNumber(frameRate) : Number.POSITIVE_INFINITY
}

const hours = (seconds: number) =>
  seconds >= 3600 ? `${Math.round(seconds / 360) / 10} hours` : `${Math.round(seconds)} seconds`

export const durationUnknown = () =>
  new UnusableMedia(
    'duration_unknown',
    'The file does not say how long the video is, and its end does not tell either. Please remux it (for instance with ffmpeg -i in -c copy out.mp4) and upload the result.',
  )

/**
 * Decides whether a file is accepted, and writes the message for the uploader if not. Pure. The
 * limits are in probe-limits.ts.
 */
import type { ExitStatus } from '../sandbox/exit-status.ts'
import { workerMemoryMessage } from '../sandbox/limits.ts'
import { type Container, containers } from './container/container.ts'
import { isSupportedVideoCodec } from './facts/codecs.ts'
import type { HeaderFacts, Probe } from './facts/probe-facts.ts'
import { toNumber } from './facts/rational.ts'
import type { VideoFacts } from './facts/video-facts.ts'
import {
  BYTES_PER_SECOND_MIN,
  DURATION_SECONDS_MAX,
  DURATION_SECONDS_MIN,
  FRAME_PIXELS_MAX,
  FRAME_SIDE_MAX,
  FRAMES_PER_SECOND_MIN,
  SPARSE_AFTER_SECONDS,
  STREAMS_MAX,
} from './probe-limits.ts'
import type { UnsupportedFile } from './unsupported-files.ts'
import { ProbeInterrupted, UnusableMedia } from './unusable-media.ts'

const supportedFormats = 'Supported formats: MP4, MOV, MKV, WebM, AVI, MPEG-TS, MPEG-PS, FLV, WMV, MXF and Ogg.'

export function unsupportedFileError(file: UnsupportedFile): UnusableMedia {
  const { kind, looksLike } = file
  if (kind === 'audio') return noVideo(`This is ${looksLike}, which contains only audio.`)
  if (kind === 'other-container') {
    return new UnusableMedia(
      'container_not_supported',
      `This is ${looksLike}, which is not supported. Please convert it. ${supportedFormats}`,
    )
  }

  const guess = looksLike ? `The file looks like ${looksLike}.` : 'The file format is not recognized.'
  return new UnusableMedia('not_a_video', `This is not a video file. ${guess} ${supportedFormats}`)
}

const noVideo = (problem: string) =>
  new UnusableMedia('no_video_stream', `${problem} Please upload a file that contains a video.`)

export const damaged = (problem: string) =>
  new UnusableMedia(
    'file_damaged',
    `${problem} Please check that the file plays on your computer, and upload it again.`,
  )

const withCommas = new Intl.NumberFormat('en-GB')

/**
 * The error for a truncated file. `bytesMin` is a minimum, because more data may follow the data that the header
 * describes.
 */
export const truncated = (bytesMin: number, bytes: number) =>
  damaged(
    `The file is truncated: it should have at least ${withCommas.format(bytesMin)} bytes, but only ${withCommas.format(bytes)} arrived.`,
  )

export const tooCostly = (cost: string) =>
  new UnusableMedia(
    'probe_too_costly',
    `Probing this file ${cost}, which is unusual for a video. Please convert it with a video editor and upload the result.`,
  )

type EndedRun = { readonly exitStatus: ExitStatus; readonly stderr: string }

const costs = {
  time: 'took too long',
  cpu: 'used too much CPU time',
  memory: 'used too much memory',
  output: 'found too many tracks, chapters or errors',
  file: 'wrote too much data',
} as const

/** Interprets a run that did not exit by itself: an error of the file, or an interruption. Undefined if it exited. */
export function interpretExitStatus(
  { exitStatus, stderr }: EndedRun,
  container: Container,
): UnusableMedia | ProbeInterrupted | undefined {
  switch (exitStatus.kind) {
    case 'limit':
      return limitError(exitStatus.limit, stderr)
    case 'worker-memory':
      return findKnownError(stderr) ?? tooLittleMemory(exitStatus.bytes)
    case 'crashed':
    case 'invalid-output':
      return damaged(`This ${containers[container].title} file is damaged in a way that makes it unreadable.`)
    case 'killed':
      return new ProbeInterrupted('killed', `The program was killed (${exitStatus.signal})`)
    case 'not-started':
      return new ProbeInterrupted('sandbox-failed', `The program could not be started: ${exitStatus.reason}`)
    case 'aborted':
      return new ProbeInterrupted('aborted', 'The probe was aborted')
    case 'exited':
      return undefined
  }
}

const tooLittleMemory = (bytes: number) =>
  new ProbeInterrupted('worker-memory', workerMemoryMessage('The probe', bytes))

function limitError(limit: keyof typeof costs, stderr: string): UnusableMedia | ProbeInterrupted {
  // FFmpeg also reports out of memory when it has read the maximum number of streams.
  const error = findKnownError(stderr) ?? tooCostly(costs[limit])
  if (limit !== 'time') return error
  return new ProbeInterrupted('too-slow', 'The program exceeded its time limit', { cause: error })
}

/** Error messages of ffprobe that explain why it could not read the file. */
const knownErrors: readonly (readonly [RegExp, () => UnusableMedia])[] = [
  [/Number of streams exceeds max_streams/, () => tooManyStreams(`more than ${STREAMS_MAX}`)],
  [/exceeds specified max pixel count/, () => frameTooLarge('')],
  [
    /moov atom not found/,
    () =>
      damaged('The index of this video (its "moov" box) is missing: the recording or the upload was not completed.'),
  ],
]

const findKnownError = (stderr: string) => knownErrors.find(([pattern]) => pattern.test(stderr))?.[1]()

/** The decoder that FFmpeg refused to use, parsed from its message. */
export const refusedDecoder = (stderr: string) => /Codec \(([\w-]{1,40})\) not on whitelist/.exec(stderr)?.[1]

/** Returns the error for a run in which ffprobe exited without a usable result. */
export function unreadableError(stderr: string, container: Container): UnusableMedia {
  const refused = refusedDecoder(stderr)
  if (refused) return codecNotSupported(refused)
  return findKnownError(stderr) ?? damaged(`This file starts like ${containers[container].title}, but cannot be read.`)
}

const tooManyStreams = (count: string) =>
  new UnusableMedia(
    'too_many_streams',
    `This file has ${count} tracks (video, audio and subtitles); the maximum is ${STREAMS_MAX}. Please remove the tracks that are not needed.`,
  )

const frameTooLarge = (size: string) =>
  new UnusableMedia(
    'picture_too_large',
    `The frame size${size} is too large: the maximum is ${FRAME_SIDE_MAX} pixels per side and 8192 × 4320 pixels in total. Please scale the video down.`,
  )

/** Checks the header before anything is decoded. */
export function checkHeader(facts: HeaderFacts, stderr: string): VideoFacts {
  if (facts.streamCount > STREAMS_MAX) throw tooManyStreams(String(facts.streamCount))
  const { video } = facts
  if (!video) throw noVideoError(facts, stderr)
  const { codec, storedWidth, storedHeight, width, height } = video
  if (!isSupportedVideoCodec(codec)) throw codecNotSupported(codec)
  if (isTooLarge(storedWidth, storedHeight)) {
    throw frameTooLarge(` of ${storedWidth} × ${storedHeight} pixels`)
  }
  if (isTooLarge(width, height)) {
    throw frameTooLarge(`, displayed as ${width} × ${height} pixels,`)
  }
  return video
}

const isTooLarge = (width: number, height: number) =>
  Math.max(width, height) > FRAME_SIDE_MAX || width * height > FRAME_PIXELS_MAX

function noVideoError(facts: HeaderFacts, stderr: string): UnusableMedia {
  if (facts.hasUnreadableVideo) {
    if (/exceeds specified max pixel count/.test(stderr)) return frameTooLarge('')
    return damaged('The file contains a video without a frame size.')
  }
  if (facts.audio.length > 0) return noVideo('This file contains audio, but no video.')
  if (facts.streamCount === 0) return damaged('This file contains nothing that can be played.')
  return noVideo('This file contains no video.')
}

export const codecNotSupported = (codec: string) =>
  new UnusableMedia(
    'codec_not_supported',
    `The video codec "${codec}" is not supported. Please convert the video, for example to H.264.`,
  )

/** Checks the complete result of a probe. */
export function checkProbe(probe: Probe): Probe {
  const { durationSeconds } = probe
  if (durationSeconds > DURATION_SECONDS_MAX) {
    throw new UnusableMedia(
      'video_too_long',
      `The video is ${hours(durationSeconds)} long; the maximum is ${hours(DURATION_SECONDS_MAX)}. Please split it.`,
    )
  }
  if (durationSeconds < DURATION_SECONDS_MIN) {
    throw new UnusableMedia(
      'video_too_short',
      `The video is ${durationSeconds.toFixed(3)} seconds long; the minimum is ${DURATION_SECONDS_MIN} seconds.`,
    )
  }
  if (durationSeconds > SPARSE_AFTER_SECONDS && isSparse(probe)) {
    throw new UnusableMedia(
      'sparse_video',
      `The video has less than one frame every ${1 / FRAMES_PER_SECOND_MIN} seconds over ${hours(durationSeconds)}. Please export it again with a constant frame rate.`,
    )
  }
  return probe
}

const isSparse = ({ video, durationSeconds, bytes }: Probe) =>
  framesPerSecond(video, durationSeconds) < FRAMES_PER_SECOND_MIN || bytes / durationSeconds < BYTES_PER_SECOND_MIN

/** Frame rate, computed from the number of frames if the container stores it, otherwise the declared rate. */
function framesPerSecond({ frames, frameRate }: VideoFacts, durationSeconds: number): number {
  if (frames !== undefined && frames > 0) return frames / durationSeconds
  return frameRate ? toNumber(frameRate) : Number.POSITIVE_INFINITY
}

const hours = (seconds: number) =>
  seconds >= 3600 ? `${Math.round(seconds / 360) / 10} hours` : `${Math.round(seconds)} seconds`

export const durationUnknown = () =>
  new UnusableMedia(
    'duration_unknown',
    'The duration is not stored in the file and could not be determined from its end. Please remux it (for example with ffmpeg -nostdin -i in -c copy out.mp4) and upload the result.',
  )

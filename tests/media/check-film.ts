/** Compares the published renditions with the film: everything is decoded and checked. */
import type { assets } from '@reelkeep/contract'
import type { Film } from '@reelkeep/media/film'
import { findBeeps, findFlashes, readAudio, readFrames, type SeenFrame } from '@reelkeep/media/film-reader'
import {
  beatsOf,
  findFrameErrors,
  findGaps,
  largestShift,
  loudnessDifference,
  withoutFadeIn,
  withoutFirst,
} from './check-audio.ts'
import { findDashErrors, findHeaderErrors, findHlsErrors } from './check-delivery.ts'
import { findRenditionErrors } from './check-renditions.ts'
import { findCountErrors, findFormatErrors, findGridErrors, type Rate, toRate } from './check-video.ts'
import { type Probed, probeOverHttp, probePackets, probeStreams } from './ffprobe.ts'
import type { PublishedRung, PublishedTrack, PublishedVideo } from './published-video.ts'

export type FilmCase = {
  readonly film: Film
  /** Path of the uploaded file. */
  readonly path: string
  readonly video: assets.Asset['video']
  readonly plan: assets.AssetPlan
  readonly published: PublishedVideo
}

export type FilmReport = {
  readonly errors: readonly string[]
  readonly frames: number
  /** Shift of the audio relative to the video; absent if there is no audio. */
  readonly shiftSeconds?: number
  readonly louderDecibels?: number
}

const SYNC_SECONDS_MAX = 0.02
const LOUDNESS_DECIBELS_MAX = 1
/** Tolerance of declared durations: containers round them, and an audio frame lasts 20 to 40 milliseconds. */
const DECLARED_SECONDS_TOLERANCE = 0.07

type Timing = {
  readonly rate: Rate
  readonly frames: number
  readonly seconds: number
  readonly frameSeconds: number
}

export async function checkFilm({ film, path, video, plan, published }: FilmCase): Promise<FilmReport> {
  const { expected } = film
  const rate = toRate(expected.frameRate)
  const frameSeconds = rate.denominator / rate.numerator
  const frames = Math.max(1, Math.round((video.duration ?? Number.NaN) / frameSeconds))
  const timing = { rate, frames, frameSeconds, seconds: frames * frameSeconds }
  const source = await probeStreams(path)
  const shownFrames = await readFrames(path, { streamIndex: videoIndex(source) })
  const seen = await Promise.all(published.rungs.map((rung) => checkRung(rung, shownFrames, timing)))
  const audioReport = await checkAudio(
    { film, path, published },
    { shownFrames, seen: seen[0]?.shownFrames ?? [], source },
    timing,
  )
  const errors = [
    ...findDurationErrors(film, source, timing),
    ...findRenditionErrors(expected, plan, published),
    ...seen.flatMap((rung) => rung.errors),
    ...audioReport.errors,
    ...findHeaderErrors(published),
    ...findDashErrors(published, timing.seconds),
    ...findHlsErrors(await probeOverHttp(published.masterUrl), published, timing),
  ]
  return { ...audioReport, errors, frames }
}

/** Index of the first video stream that is not a cover image. */
const videoIndex = ({ streams }: Probed) =>
  streams.find(({ codec_type, disposition }) => codec_type === 'video' && !disposition?.attached_pic)?.index

const audioIndex = ({ streams }: Probed) => {
  const audioStreams = streams.filter(({ codec_type }) => codec_type === 'audio')
  return (audioStreams.find(({ disposition }) => disposition?.default) ?? audioStreams[0])?.index
}

function findDurationErrors({ expected }: Film, { format }: Probed, timing: Timing): string[] {
  const { seconds, frameSeconds } = timing
  const declared = Number(format.duration ?? expected.durationSeconds)
  const isNear = (other: number, tolerance: number) => Math.abs(seconds - other) <= tolerance
  return [
    ...(isNear(declared, frameSeconds) ? [] : [`the duration is ${seconds} s, the file declares ${declared}`]),
    ...(isNear(expected.durationSeconds, frameSeconds + DECLARED_SECONDS_TOLERANCE)
      ? []
      : [`the duration is ${seconds} s instead of ${expected.durationSeconds}`]),
  ]
}

async function checkRung(rung: PublishedRung, source: readonly SeenFrame[], timing: Timing) {
  const { rate, frames, seconds } = timing
  const probed = await probePackets(rung.path)
  const shownFrames = await readFrames(rung.path, { isStrict: true })
  const errors = [
    ...findFormatErrors(probed, rung),
    ...findGridErrors(probed, rate, frames),
    ...(shownFrames.length === frames ? [] : [`only ${shownFrames.length} of ${frames} frames can be decoded`]),
    ...findCountErrors(shownFrames, source, rate),
    ...findPlaylistErrors(rung, seconds, 0.001),
  ]
  return { shownFrames, errors: errors.map((error) => `${rung.name}: ${error}`) }
}

function findPlaylistErrors({ segments }: PublishedTrack, seconds: number, tolerance: number) {
  const declared = segments.reduce((sum, segment) => sum + segment.seconds, 0)
  return Math.abs(declared - seconds) <= tolerance ? [] : [`the duration of its playlist is ${declared} s`]
}

type AudioReport = Pick<FilmReport, 'errors' | 'shiftSeconds' | 'louderDecibels'>

async function checkAudio(
  { film, path, published: { audio } }: Pick<FilmCase, 'film' | 'path' | 'published'>,
  decoded: {
    readonly source: Probed
    readonly shownFrames: readonly SeenFrame[]
    readonly seen: readonly SeenFrame[]
  },
  { seconds, frameSeconds }: Timing,
): Promise<AudioReport> {
  const expected = film.expected.audio
  if (!expected || !audio) {
    return { errors: expected || audio ? ['only the source or only the result has audio'] : [] }
  }
  const range = { from: expected.from, to: Math.min(expected.to, seconds) }
  const original = await readAudio(path, { streamIndex: audioIndex(decoded.source) })
  const result = await readAudio(audio.path, { isStrict: true })
  const beats = beatsOf(findFlashes(decoded.seen), findBeeps(result))
  const beatsBefore = beatsOf(findFlashes(decoded.shownFrames), findBeeps(original))
  // If the first frame has a late timestamp, its flash is shown too early: the frame is displayed from the start.
  const isLate = (decoded.shownFrames[0]?.seconds ?? 0) > frameSeconds / 2
  const shift = isLate ? largestShift(withoutFirst(beats), withoutFirst(beatsBefore)) : largestShift(beats, beatsBefore)
  const louder = loudnessDifference(result, original, range)
  const gaps = findGaps(result, range)
  const errors = [
    ...findFrameErrors(await probePackets(audio.path), seconds),
    ...(Math.abs(shift) <= SYNC_SECONDS_MAX ? [] : [`the audio is shifted by ${shift} s`]),
    ...(Math.abs(louder) <= LOUDNESS_DECIBELS_MAX ? [] : [`the audio is louder by ${louder} dB`]),
    ...(gaps.length === 0 ? [] : [`the audio has gaps at ${gaps.slice(0, 3)}`]),
  ]
  const settledShift = largestShift(withoutFadeIn(beats), withoutFadeIn(beatsBefore))
  return { errors, shiftSeconds: settledShift, louderDecibels: louder }
}

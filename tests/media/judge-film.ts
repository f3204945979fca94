/** What was published of a film against the film itself: everything is decoded and looked at. */
import type { assets } from '@reelkeep/contract'
import type { Film } from '@reelkeep/media/film'
import {
  findBeeps,
  findFlashes,
  readPictures,
  readSound,
  type SeenPicture,
} from '@reelkeep/media/film-reader'
import { faultsOfDash, faultsOfHeaders, faultsOfHls } from './judge-delivery.ts'
import { faultsOfCounts, faultsOfForm, faultsOfGrid, type Rate, toRate } from './judge-pictures.ts'
import { faultsOfRenditions } from './judge-renditions.ts'
import {
  beatsOf,
  faultsOfFrames,
  findHoles,
  loudnessDifference,
  movedSeconds,
  settled,
  withoutFirst,
} from './judge-sound.ts'
import type { PublishedRung, PublishedTrack, PublishedVideo } from './published-video.ts'
import { type Probed, probeOverHttp, probePackets, probeStreams } from './streams-of.ts'

export type FilmCase = {
  readonly film: Film
  /** Of the file that was uploaded. */
  readonly path: string
  readonly video: assets.Asset['video']
  readonly plan: assets.AssetPlan
  readonly published: PublishedVideo
}

export type Verdict = {
  readonly faults: readonly string[]
  readonly frames: number
  /** Absent where there is nothing to be heard. */
  readonly movedSeconds?: number
  readonly louderDecibels?: number
}

const SYNC_SECONDS_MAX = 0.02
const LOUDNESS_DECIBELS_MAX = 1
/**
 * By which containers are off in what they say of themselves: they round, and a frame of sound
 * lasts 20 to 40 milliseconds.
 */
const SAID_SECONDS_MAX = 0.07

type Timing = {
  readonly rate: Rate
  readonly frames: number
  readonly seconds: number
  readonly frameSeconds: number
}

export async function judgeFilm({
  film,
  path,
  video,
  plan,
  published,
}: FilmCase): Promise<Verdict> {
  const { expected } = film
  const rate = toRate(expected.frameRate)
  const frameSeconds = rate.denominator / rate.numerator
  const frames = Math.max(1, Math.round((video.duration ?? Number.NaN) / frameSeconds))
  const timing = { rate, frames, frameSeconds, seconds: frames * frameSeconds }
  const source = await probeStreams(path)
  const pictures = await readPictures(path, { streamIndex: pictureIndex(source) })
  const seen = await Promise.all(published.rungs.map((rung) => judgeRung(rung, pictures, timing)))
  const sound = await judgeSound(
    { film, path, published },
    { pictures, seen: seen[0]?.pictures ?? [], source },
    timing,
  )
  const faults = [
    ...faultsOfDuration(film, source, timing),
    ...faultsOfRenditions(expected, plan, published),
    ...seen.flatMap((rung) => rung.faults),
    ...sound.faults,
    ...faultsOfHeaders(published),
    ...faultsOfDash(published, timing.seconds),
    ...faultsOfHls(await probeOverHttp(published.masterUrl), published, timing),
  ]
  return { ...sound, faults, frames }
}

/** A cover is no film. */
const pictureIndex = ({ streams }: Probed) =>
  streams.find(
    ({ codec_type, disposition }) => codec_type === 'video' && !disposition?.attached_pic,
  )?.index

const soundIndex = ({ streams }: Probed) => {
  const sounds = streams.filter(({ codec_type }) => codec_type === 'audio')
  return (sounds.find(({ disposition }) => disposition?.default) ?? sounds[0])?.index
}

function faultsOfDuration({ expected }: Film, { format }: Probed, timing: Timing): string[] {
  const { seconds, frameSeconds } = timing
  const said = Number(format.duration ?? expected.durationSeconds)
  const isNear = (other: number, tolerance: number) => Math.abs(seconds - other) <= tolerance
  return [
    ...(isNear(said, frameSeconds) ? [] : [`${seconds} s long, the file says ${said}`]),
    ...(isNear(expected.durationSeconds, frameSeconds + SAID_SECONDS_MAX)
      ? []
      : [`${seconds} s long instead of ${expected.durationSeconds}`]),
  ]
}

async function judgeRung(rung: PublishedRung, source: readonly SeenPicture[], timing: Timing) {
  const { rate, frames, seconds } = timing
  const probed = await probePackets(rung.path)
  const pictures = await readPictures(rung.path, { isStrict: true })
  const faults = [
    ...faultsOfForm(probed, rung),
    ...faultsOfGrid(probed, rate, frames),
    ...(pictures.length === frames ? [] : [`${pictures.length} of ${frames} frames are decoded`]),
    ...faultsOfCounts(pictures, source, rate),
    ...faultsOfLength(rung, seconds, 0.001),
  ]
  return { pictures, faults: faults.map((fault) => `${rung.name}: ${fault}`) }
}

function faultsOfLength({ segments }: PublishedTrack, seconds: number, tolerance: number) {
  const said = segments.reduce((sum, segment) => sum + segment.seconds, 0)
  return Math.abs(said - seconds) <= tolerance ? [] : [`its playlist is ${said} s long`]
}

type Heard = Pick<Verdict, 'faults' | 'movedSeconds' | 'louderDecibels'>

async function judgeSound(
  { film, path, published: { audio } }: Pick<FilmCase, 'film' | 'path' | 'published'>,
  looked: {
    readonly source: Probed
    readonly pictures: readonly SeenPicture[]
    readonly seen: readonly SeenPicture[]
  },
  { seconds, frameSeconds }: Timing,
): Promise<Heard> {
  const { sound } = film.expected
  if (!sound || !audio) {
    return { faults: sound || audio ? ['there is sound in only one of both'] : [] }
  }
  const stretch = { from: sound.from, to: Math.min(sound.to, seconds) }
  const original = await readSound(path, { streamIndex: soundIndex(looked.source) })
  const made = await readSound(audio.path, { isStrict: true })
  const beats = beatsOf(findFlashes(looked.seen), findBeeps(made))
  const beatsBefore = beatsOf(findFlashes(looked.pictures), findBeeps(original))
  // A first picture that comes late stands from the beginning on, and so does a flash in it.
  const isLate = (looked.pictures[0]?.seconds ?? 0) > frameSeconds / 2
  const moved = isLate
    ? movedSeconds(withoutFirst(beats), withoutFirst(beatsBefore))
    : movedSeconds(beats, beatsBefore)
  const louder = loudnessDifference(made, original, stretch)
  const holes = findHoles(made, stretch)
  const faults = [
    ...faultsOfFrames(await probePackets(audio.path), seconds),
    ...(Math.abs(moved) <= SYNC_SECONDS_MAX ? [] : [`the sound has moved by ${moved} s`]),
    ...(Math.abs(louder) <= LOUDNESS_DECIBELS_MAX ? [] : [`it is louder by ${louder} dB`]),
    ...(holes.length === 0 ? [] : [`nothing is heard at ${holes.slice(0, 3)}`]),
  ]
  const movedLater = movedSeconds(settled(beats), settled(beatsBefore))
  return { faults, movedSeconds: movedLater, louderDecibels: louder }
}

/**
 * What of a video can be played while it is made.
 *
 * Segments become known in any order, and a track is played from its start as far as it has no gap.
 * A player reads the list of tracks once and then goes from one to another as it likes, so one that
 * is listed must reach as far as the smallest, which everybody begins with; a larger one that lags
 * behind is not listed until it has caught up. Whoever knows of a track may go on with it, though:
 * how far it is shown never goes back.
 */
import {
  type AudioTrack,
  type Listing,
  type Plan,
  type Rates,
  type Stream,
  type StreamSegment,
  type SubtitleTrack,
  segmentName,
  type TrackProtection,
  targetOf,
  type VideoTrack,
} from '@reelkeep/media'
import { refused } from '../../kernel/errors.ts'

/** A track as it was planned: a rendition of the picture, or the sound. */
export type PlannedTrack = {
  readonly name: string
  /** Null of the sound. */
  readonly width: number | null
  readonly height: number | null
  readonly bitrateMax: number
  readonly segmentsTotal: number
  /** Published, wherever in the video they are. */
  readonly segmentsDone: number
  /** Null until a part of it is there. */
  readonly codecs: string | null
  readonly initKey: string | null
}

/** Segments of a track that were published together. */
export type PublishedPart = {
  readonly rendition: string
  readonly firstSegment: number
  readonly prefix: string
  readonly count: number
  /** Null of a track that nobody asked about. */
  readonly segments: readonly Omit<StreamSegment, 'uri'>[] | null
}

export type PlannedVideo = {
  readonly plan: Pick<Stream, 'durationSeconds'> &
    Pick<VideoTrack, 'frameRate'> &
    Pick<Plan, 'segmentFrames' | 'gopFrames'> & {
      readonly audio: Pick<AudioTrack, 'channels' | 'sampleRate' | 'language'> | null
    }
  /** Smallest first, the sound last. */
  readonly tracks: readonly PlannedTrack[]
  /** Of a video under common encryption. */
  readonly protections?: { readonly video: TrackProtection; readonly audio: TrackProtection }
}

export type MadeVideo = PlannedVideo & {
  /** Of each track in their order. */
  readonly parts: readonly PublishedPart[]
}

/** Of all segments of a track that are published, or of all of its keyframes. */
export type TrackRates = Rates & { readonly rendition: string; readonly isKeyframe: boolean }

export type Targets = { readonly segmentTarget: number; readonly keyframeTarget: number }

export type ShownTrack = {
  readonly name: string
  /** From the first one on. */
  readonly segments: number
  readonly isListed: boolean
}

type Reach = PlannedTrack & { readonly reach: number }

/** In their order, those of which there is something to play. */
export function shownTracks({ tracks, parts }: Pick<MadeVideo, 'tracks' | 'parts'>): ShownTrack[] {
  const reaches = tracks.map((track) => ({ ...track, reach: reachOf(track, parts) }))
  const sound = reaches.find(isSound)
  // Picture without its sound would stop a player; but a sound that is all there may end a little before the picture.
  const limit = sound && !isComplete(sound) ? sound.reach : Number.POSITIVE_INFINITY
  const shown = reaches
    .map((track) => ({ ...track, reach: Math.min(track.reach, limit) }))
    .filter(({ reach }) => reach > 0)
  const smallest = shown.find((track) => !isSound(track))
  if (!smallest) return []
  return shown.map((track) => ({
    name: track.name,
    segments: track.reach,
    isListed: isSound(track) || isComplete(track) || track.reach >= smallest.reach,
  }))
}

/** Every segment of every track is there. */
export const isWhole = ({ tracks }: Pick<MadeVideo, 'tracks'>) =>
  tracks.length > 0 &&
  tracks.every(({ segmentsDone, segmentsTotal }) => segmentsDone === segmentsTotal)

const isSound = ({ width }: PlannedTrack) => width === null
const isComplete = ({ reach, segmentsTotal }: Reach) => reach >= segmentsTotal

/** How many segments there are before the first gap. */
function reachOf({ name, codecs, initKey }: PlannedTrack, parts: readonly PublishedPart[]): number {
  if (codecs === null || initKey === null) return 0
  let reach = 0
  for (const part of parts) {
    if (part.rendition !== name) continue
    if (part.firstSegment !== reach) break
    reach += part.count
  }
  return reach
}

/**
 * As a player is told of it that knows all segments at once. `prefix` is what all of the video's
 * names in storage begin with.
 */
export function streamOf(
  video: MadeVideo,
  course: Course,
  prefix: string,
  subtitles: readonly SubtitleTrack[],
): Stream {
  const listed = shownTracks(video).filter(({ isListed }) => isListed)
  const told = listed.map((shown) => toTrack(video, shown, prefix))
  return {
    ...course,
    video: told.filter((track) => 'width' in track),
    audio: told.find((track) => 'channels' in track) ?? null,
    subtitles,
  }
}

/** As a player is told of it that asks for the segments later. */
export function listingOf(
  video: MadeVideo,
  { growth }: Pick<Course, 'growth'>,
  rates: readonly TrackRates[],
  subtitles: readonly SubtitleTrack[],
): Listing {
  const ratesOf = (name: string, isKeyframe: boolean) =>
    rates.find((one) => one.rendition === name && one.isKeyframe === isKeyframe)
  const told = shownTracks(video)
    .filter(({ isListed }) => isListed)
    .map(({ name }) => {
      const ofSegments = ratesOf(name, false)
      // Its parts have gone between one look and the next: it is made anew.
      if (!ofSegments) throw nothingToPlay()
      return { ...headOf(video, name), rates: ofSegments }
    })
  return {
    growth,
    video: told
      .filter((track) => 'width' in track)
      .map((track) => ({ ...track, keyframeRates: ratesOf(track.name, true) ?? null })),
    audio: told.find((track) => 'channels' in track) ?? null,
    subtitles,
  }
}

/** Listed or not. Undefined if there is nothing of it to play. */
export function findTrack(
  video: MadeVideo,
  prefix: string,
  name: string,
): VideoTrack | AudioTrack | undefined {
  const shown = shownTracks(video).find((track) => track.name === name)
  return shown && toTrack(video, shown, prefix)
}

export type Course = Omit<Stream, 'video' | 'audio' | 'subtitles'>

/** How a video goes on, whatever of it is there. It has ended if nobody works on it any more. */
export function courseOf(video: PlannedVideo, hasEnded: boolean): Course {
  const { durationSeconds, frameRate, segmentFrames, gopFrames } = video.plan
  const frameSeconds = frameRate.denominator / frameRate.numerator
  const stopped = hasEnded ? 'stopped' : 'growing'
  return {
    growth: isWhole(video) ? 'whole' : stopped,
    durationSeconds,
    segmentSeconds: segmentFrames * frameSeconds,
    keyframeSeconds: gopFrames * frameSeconds,
  }
}

export const targetsOf = ({ segmentSeconds, keyframeSeconds }: Course): Targets => ({
  segmentTarget: targetOf(segmentSeconds),
  keyframeTarget: targetOf(keyframeSeconds),
})

function toTrack(video: MadeVideo, shown: ShownTrack, prefix: string): VideoTrack | AudioTrack {
  const { initKey, ...head } = headOf(video, shown.name)
  return {
    ...head,
    initUri: relative(initKey, prefix),
    segments: video.parts
      .filter(({ rendition }) => rendition === shown.name)
      .flatMap((part) => segmentsOf(part, prefix))
      .slice(0, shown.segments),
  }
}

/** What is told of a track whichever way it is told. */
function headOf({ plan, tracks, protections }: PlannedVideo, name: string) {
  const track = tracks.find((one) => one.name === name)
  if (!track?.codecs || !track.initKey) throw new Error(`Nothing is known of ${name}`)
  const { codecs, bitrateMax, initKey, width, height } = track
  const protection = protections?.[width === null ? 'audio' : 'video']
  const told = { name, codecs, bitrateMax, initKey, ...(protection && { protection }) }
  if (width !== null && height !== null) {
    return { ...told, width, height, frameRate: plan.frameRate }
  }
  if (!plan.audio) throw new Error('There is a sound that was not planned')
  return { ...told, ...plan.audio }
}

const segmentsOf = (part: PublishedPart, prefix: string): StreamSegment[] =>
  (part.segments ?? []).map((segment, index) => ({
    ...segment,
    uri: `${relative(part.prefix, prefix)}${part.rendition}/${segmentName(part.firstSegment + index)}`,
  }))

/** A name in storage as the video's manifests say it, which lie where all of its names begin. */
export function relative(key: string, prefix: string): string {
  if (!key.startsWith(prefix)) throw new Error(`${key} is none of ${prefix}`)
  return key.slice(prefix.length)
}

export const nothingToPlay = () =>
  refused(
    'not_found',
    'There is nothing to play here: the video is not made yet, or not made at all, or has no such piece. Its `video.playback_url` is the address to begin with.',
  )

export const noDashYet = () =>
  refused(
    'not_found',
    'There is a DASH manifest once the whole video is made. Play HLS until then.',
  )

export const noDashOfAes = () =>
  refused('not_found', 'A video that is protected with AES-128 is played by HLS alone.')

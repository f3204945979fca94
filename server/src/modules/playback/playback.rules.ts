/**
 * Decides which part of a video can be played during processing.
 *
 * Segments are published in any order, and a track is playable from its start up to the first gap. A player reads
 * the list of tracks once and then switches between them, so a listed track must reach as far as the smallest
 * rendition, with which players start; a larger one that lags behind is not listed until it has caught up. A track
 * that was listed before stays playable: its shown length never decreases.
 */
import {
  type AudioTrack,
  type Listing,
  type Plan,
  type Rates,
  type SegmentRange,
  type Stream,
  type StreamSegment,
  type SubtitleTrack,
  segmentName,
  type TrackProtection,
  targetDuration,
  type VideoTrack,
} from '@reelkeep/media'
import { refused } from '../../kernel/errors.ts'
import { leadSeconds, listedSeconds, type ShownRange } from '../assets/assets.ts'

/** A planned track: a video rendition or the audio. */
export type PlannedTrack = {
  readonly name: string
  /** Width and height are null for audio. */
  readonly width: number | null
  readonly height: number | null
  readonly bitrateMax: number
  readonly segmentsTotal: number
  /** Number of published segments, including those after a gap. */
  readonly segmentsDone: number
  /** Codecs and init segment are null until a part of the track is published. */
  readonly codecs: string | null
  readonly initKey: string | null
}

/** Segments of a track that were published together. */
export type PublishedPart = {
  readonly rendition: string
  readonly firstSegment: number
  readonly prefix: string
  readonly count: number
  /** Segments of the part; null for tracks that were not requested. */
  readonly segments: readonly Omit<StreamSegment, 'uri'>[] | null
}

export type PlannedVideo = {
  readonly plan: Pick<Stream, 'durationSeconds'> &
    Pick<VideoTrack, 'frameRate'> &
    Pick<Plan, 'segmentFrames' | 'gopFrames'> & {
      readonly audio: Pick<AudioTrack, 'channels' | 'sampleRate' | 'language'> | null
    }
  /** Tracks in order of size, smallest first, audio last. */
  readonly tracks: readonly PlannedTrack[]
  /** Protection data of videos under Common Encryption. */
  readonly protections?: { readonly video: TrackProtection; readonly audio: TrackProtection }
}

export type EncodedVideo = PlannedVideo & {
  /** Parts of each track are in order. */
  readonly parts: readonly PublishedPart[]
  /** The segments that the asset shows; absent for all. `end` is exclusive. */
  readonly window?: SegmentRange
}

/** Bitrates of all published segments of a track, or of its keyframes. */
export type TrackRates = Rates & { readonly rendition: string; readonly isKeyframe: boolean }

export type Targets = { readonly segmentTarget: number; readonly keyframeTarget: number }

export type ShownTrack = {
  readonly name: string
  /** Number of playable segments, counted from the first one. */
  readonly segments: number
  readonly isListed: boolean
}

type Reach = PlannedTrack & { readonly reach: number }

/** The tracks that have something to play, in order. */
export function shownTracks({ tracks, parts }: Pick<EncodedVideo, 'tracks' | 'parts'>): ShownTrack[] {
  const reaches = tracks.map((track) => ({ ...track, reach: reachOf(track, parts) }))
  const audio = reaches.find(isAudio)
  // Video without audio would stall a player. Complete audio may end a little before the video.
  const limit = audio && !isComplete(audio) ? audio.reach : Number.POSITIVE_INFINITY
  const shown = reaches
    .map((track) => ({ ...track, reach: Math.min(track.reach, limit) }))
    .filter(({ reach }) => reach > 0)
  const smallest = shown.find((track) => !isAudio(track))
  if (!smallest) return []
  return shown.map((track) => ({
    name: track.name,
    segments: track.reach,
    isListed: isAudio(track) || isComplete(track) || track.reach >= smallest.reach,
  }))
}

/** Whether every segment of every track is published. */
export const isWhole = ({ tracks }: Pick<EncodedVideo, 'tracks'>) =>
  tracks.length > 0 && tracks.every(({ segmentsDone, segmentsTotal }) => segmentsDone === segmentsTotal)

const isAudio = ({ width }: PlannedTrack) => width === null
const isComplete = ({ reach, segmentsTotal }: Reach) => reach >= segmentsTotal

/** Number of segments before the first gap. */
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
 * The stream for manifests that contain all segments (DASH). `prefix` is the common prefix of the video's storage keys.
 */
export function streamOf(
  video: EncodedVideo,
  state: StreamState,
  prefix: string,
  subtitles: readonly SubtitleTrack[],
): Stream {
  const listed = shownTracks(video).filter(({ isListed }) => isListed)
  const tracks = listed.map((shown) => toTrack(video, shown, prefix))
  return {
    ...state,
    video: tracks.filter((track) => 'width' in track),
    audio: tracks.find((track) => 'channels' in track) ?? null,
    subtitles,
  }
}

/** The listing for the multivariant playlist, which contains no segments. */
export function listingOf(
  video: EncodedVideo,
  { growth, leadSeconds }: Pick<StreamState, 'growth' | 'leadSeconds'>,
  rates: readonly TrackRates[],
  subtitles: readonly SubtitleTrack[],
): Listing {
  const ratesOf = (name: string, isKeyframe: boolean) =>
    rates.find((rate) => rate.rendition === name && rate.isKeyframe === isKeyframe)
  const tracks = shownTracks(video)
    .filter(({ isListed }) => isListed)
    .map(({ name }) => {
      const ofSegments = ratesOf(name, false)
      // The parts were removed between two queries: the video is being encoded again.
      if (!ofSegments) throw nothingToPlay()
      return { ...headOf(video, name), rates: ofSegments }
    })
  return {
    growth,
    ...(leadSeconds !== undefined && { leadSeconds }),
    video: tracks
      .filter((track) => 'width' in track)
      .map((track) => ({ ...track, keyframeRates: ratesOf(track.name, true) ?? null })),
    audio: tracks.find((track) => 'channels' in track) ?? null,
    subtitles,
  }
}

/** Finds a track, listed or not. Undefined if it has nothing to play. */
export function findTrack(video: EncodedVideo, prefix: string, name: string): VideoTrack | AudioTrack | undefined {
  const shown = shownTracks(video).find((track) => track.name === name)
  return shown && toTrack(video, shown, prefix)
}

export type StreamState = Omit<Stream, 'video' | 'audio' | 'subtitles'>

/**
 * Whether the stream is whole, growing or stopped, and its durations. `hasEnded`: processing has ended. A part of a
 * video has the duration of the segments that contain it.
 */
export function streamStateOf(video: PlannedVideo, hasEnded: boolean, range: ShownRange | null = null): StreamState {
  const { durationSeconds, frameRate, segmentFrames, gopFrames } = video.plan
  const frameSeconds = frameRate.denominator / frameRate.numerator
  const stopped = hasEnded ? 'stopped' : 'growing'
  const segmentSeconds = segmentFrames * frameSeconds
  const state = {
    growth: isWhole(video) ? 'whole' : stopped,
    durationSeconds,
    segmentSeconds,
    keyframeSeconds: gopFrames * frameSeconds,
  } as const
  if (!range) return state
  const { startSeconds, endSeconds } = listedSeconds(range)
  return {
    ...state,
    durationSeconds: Math.min(endSeconds, durationSeconds) - startSeconds,
    startSeconds,
    leadSeconds: leadSeconds(range),
  }
}

export const targetsOf = ({ segmentSeconds, keyframeSeconds }: StreamState): Targets => ({
  segmentTarget: targetDuration(segmentSeconds),
  keyframeTarget: targetDuration(keyframeSeconds),
})

function toTrack(video: EncodedVideo, shown: ShownTrack, prefix: string): VideoTrack | AudioTrack {
  const { initKey, ...head } = headOf(video, shown.name)
  const segments = video.parts
    .filter(({ rendition }) => rendition === shown.name)
    .flatMap((part) => segmentsIn(part, prefix))
    .slice(0, shown.segments)
  const track = { ...head, initUri: relative(initKey, prefix) }
  if (!video.window) return { ...track, segments }
  const { start, end } = video.window
  const startSeconds = segments.slice(0, start).reduce((sum, { seconds }) => sum + seconds, 0)
  return { ...track, segments: segments.slice(start, end), startSeconds }
}

/** The properties of a track that all manifests contain. */
function headOf({ plan, tracks, protections }: PlannedVideo, name: string) {
  const track = tracks.find((planned) => planned.name === name)
  if (!track?.codecs || !track.initKey) throw new Error(`Track ${name} has no init segment`)
  const { codecs, bitrateMax, initKey, width, height } = track
  const protection = protections?.[width === null ? 'audio' : 'video']
  const head = { name, codecs, bitrateMax, initKey, ...(protection && { protection }) }
  if (width !== null && height !== null) {
    return { ...head, width, height, frameRate: plan.frameRate }
  }
  if (!plan.audio) throw new Error('The audio track is missing in the plan')
  return { ...head, ...plan.audio }
}

const segmentsIn = (part: PublishedPart, prefix: string): StreamSegment[] =>
  (part.segments ?? []).map((segment, index) => ({
    ...segment,
    uri: `${relative(part.prefix, prefix)}${part.rendition}/${segmentName(part.firstSegment + index)}`,
  }))

/** A storage key relative to the manifests, which are at the video's prefix. */
export function relative(key: string, prefix: string): string {
  if (!key.startsWith(prefix)) throw new Error(`${key} does not start with ${prefix}`)
  return key.slice(prefix.length)
}

export const nothingToPlay = () =>
  refused(
    'not_found',
    'Nothing to play here: the video is still processing, has failed, or has no such file. Start with its `video.playback_url`.',
  )

export const noDashYet = () =>
  refused('not_found', 'The DASH manifest is available once the whole video is encoded. Play HLS until then.')

export const noDashOfAes = () => refused('not_found', 'A video protected with AES-128 can be played with HLS only.')

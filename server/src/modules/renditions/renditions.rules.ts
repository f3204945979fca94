import type { EncodedTrack, Part, Plan, TrackName } from '@reelkeep/media'

/** A planned rendition. The audio track is a rendition without a size. */
export type NewRendition = {
  readonly name: TrackName
  readonly width: number | null
  readonly height: number | null
  readonly bitrateMax: number
  readonly segmentsTotal: number
}

export function renditionsOf({ rungs, audio, segments }: Plan): NewRendition[] {
  const video = rungs.map(({ name, width, height, bitrateMax }) => ({
    ...{ name, width, height, bitrateMax },
    segmentsTotal: segments,
  }))
  if (!audio) return video
  const audioTrack = { name: 'audio', width: null, height: null } as const
  return [...video, { ...audioTrack, bitrateMax: audio.bitrate, segmentsTotal: segments }]
}

/** One track of an encoded part. Its row in the database makes its segments playable. */
export type PublishedTrack = {
  readonly name: TrackName
  readonly firstSegment: number
  readonly segmentCount: number
  readonly bytes: number
  readonly codecs: string
  /** Hash of the init segment in hexadecimal. */
  readonly initHash: string
  readonly segments: readonly PublishedSegment[]
  /** Peaks of the audio in Base64; null for video. */
  readonly peaks: string | null
}

type PublishedSegment = Pick<EncodedTrack['segments'][number], 'seconds' | 'bytes' | 'keyframes'>

export function publishedTrack(part: Part, track: EncodedTrack, initHash: string): PublishedTrack {
  const planned = part.tracks.find(({ name }) => name === track.name)
  if (!planned) throw new Error(`Part ${part.number} has no ${track.name}`)
  const { start, end } = planned.segments
  if (track.segments.length !== end - start) {
    throw new Error(
      `Part ${part.number} has ${track.segments.length} segments of ${track.name} instead of ${end - start}`,
    )
  }
  return {
    name: track.name,
    firstSegment: start,
    segmentCount: end - start,
    bytes: track.segments.reduce((sum, { bytes }) => sum + bytes, 0),
    codecs: track.codecs,
    initHash,
    segments: track.segments.map(({ seconds, bytes, keyframes }) => ({
      seconds,
      bytes,
      keyframes,
    })),
    peaks: track.peaks ? Buffer.from(track.peaks).toString('base64') : null,
  }
}

/** A track of some segments of a rendered part. */
export type RenderedTrack = Pick<PublishedTrack, 'name' | 'codecs' | 'initHash' | 'firstSegment' | 'segments'>

/** Segments whose files have the same prefix. */
export type RenderedGroup = { readonly prefix: string; readonly tracks: readonly RenderedTrack[] }

export const renderedTrack = (track: RenderedTrack): PublishedTrack => ({
  ...track,
  segmentCount: track.segments.length,
  bytes: track.segments.reduce((sum, { bytes }) => sum + bytes, 0),
  peaks: null,
})

type Progress = { readonly segmentsDone: number; readonly segmentsTotal: number }

export const isComplete = ({ segmentsDone, segmentsTotal }: Progress) => segmentsDone === segmentsTotal

/** Tracks whose first segment a player needs to start: the smallest video rendition and the audio. */
export const neededToStart = ({ rungs, audio }: Plan): readonly string[] => [
  ...rungs.slice(0, 1).map(({ name }) => name),
  ...(audio ? ['audio'] : []),
]

/** Timeline text. */
export function describePlan({ rungs, leftOut, parts }: Plan): string {
  const encoded = rungs.map(({ name, width, height }) => `${name} (${width}x${height})`).join(', ')
  const skipped = leftOut.length === 0 ? '' : ` Skipped ${leftOut.map(({ name }) => name).join(', ')}.`
  return `Encoding ${encoded} in ${parts.length} ${parts.length === 1 ? 'part' : 'parts'}.${skipped}`
}

export type Frame = { readonly number: number; readonly seconds: number; readonly isKeyframe: boolean }

type FrameGrid = Pick<Plan, 'frameRate' | 'frames' | 'gopFrames'> & {
  /** Number of the first frame in the media, of which the asset may show a part; absent if it is 0. */
  readonly firstFrame?: number
}

/** The frames within a distance of a time. All renditions have frames and keyframes on this grid. */
export function framesAround(
  { frameRate, frames, gopFrames, firstFrame = 0 }: FrameGrid,
  at: number,
  distanceSeconds: number,
): Frame[] {
  const { numerator, denominator } = frameRate
  const secondsOf = (frame: number) => (frame * denominator) / numerator
  const around = Math.min(at, secondsOf(frames - 1))
  const frameAt = (seconds: number) => (seconds * numerator) / denominator
  const first = Math.max(0, Math.ceil(frameAt(around - distanceSeconds) - FRAME_TOLERANCE))
  const last = Math.min(frames - 1, Math.floor(frameAt(around + distanceSeconds) + FRAME_TOLERANCE))
  return Array.from({ length: last - first + 1 }, (_, index) => {
    const number = first + index
    return { number, seconds: secondsOf(number), isKeyframe: (firstFrame + number) % gopFrames === 0 }
  })
}

/** Avoids that a rounding error excludes a frame at the distance. */
const FRAME_TOLERANCE = 1e-6

import type { MadeTrack, Part, Plan, TrackName } from '@reelkeep/media'

/** The sound is planned, made and counted like a size of the picture. */
export type NewRendition = {
  readonly name: TrackName
  readonly width: number | null
  readonly height: number | null
  readonly bitrateMax: number
  readonly segmentsTotal: number
}

export function renditionsOf({ rungs, audio, segments }: Plan): NewRendition[] {
  const pictures = rungs.map(({ name, width, height, bitrateMax }) => ({
    ...{ name, width, height, bitrateMax },
    segmentsTotal: segments,
  }))
  if (!audio) return pictures
  const sound = { name: 'audio', width: null, height: null } as const
  return [...pictures, { ...sound, bitrateMax: audio.bitrate, segmentsTotal: segments }]
}

/** A track of a part, as the row that makes it playable holds it. */
export type PublishedTrack = {
  readonly name: TrackName
  readonly firstSegment: number
  readonly segmentCount: number
  readonly bytes: number
  readonly codecs: string
  /** Hexadecimal. */
  readonly initHash: string
  readonly segments: readonly PublishedSegment[]
}

type PublishedSegment = Pick<MadeTrack['segments'][number], 'seconds' | 'bytes' | 'keyframes'>

export function publishedTrack(part: Part, made: MadeTrack, initHash: string): PublishedTrack {
  const planned = part.tracks.find(({ name }) => name === made.name)
  if (!planned) throw new Error(`Part ${part.number} has no ${made.name}`)
  const { start, end } = planned.segments
  if (made.segments.length !== end - start) {
    throw new Error(`${made.segments.length} segments of ${made.name} instead of ${end - start}`)
  }
  return {
    name: made.name,
    firstSegment: start,
    segmentCount: end - start,
    bytes: made.segments.reduce((sum, { bytes }) => sum + bytes, 0),
    codecs: made.codecs,
    initHash,
    segments: made.segments.map(({ seconds, bytes, keyframes }) => ({ seconds, bytes, keyframes })),
  }
}

type Progress = { readonly segmentsDone: number; readonly segmentsTotal: number }

export const isComplete = ({ segmentsDone, segmentsTotal }: Progress) =>
  segmentsDone === segmentsTotal

/** The smallest picture and the sound: with the first segment of both a player can begin. */
export const neededToBegin = ({ rungs, audio }: Plan): readonly string[] => [
  ...rungs.slice(0, 1).map(({ name }) => name),
  ...(audio ? ['audio'] : []),
]

/** In one line for the timeline. */
export function tellPlan({ rungs, leftOut, parts }: Plan): string {
  const made = rungs.map(({ name, width, height }) => `${name} (${width}x${height})`).join(', ')
  const not = leftOut.length === 0 ? '' : ` Not ${leftOut.map(({ name }) => name).join(', ')}.`
  return `Makes ${made}, in ${parts.length} ${parts.length === 1 ? 'part' : 'parts'}.${not}`
}

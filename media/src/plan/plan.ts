/**
 * The plan of a video: decided once, from the probe and the requested resolutions. Plain JSON,
 * stored with the asset, so that every worker encodes its parts by the same plan.
 */
import type { Rational } from '../probe/facts/rational.ts'

/** Names of rungs, smallest first. A rung is named by its shorter side. */
export const rungNames = ['240p', '360p', '480p', '540p', '720p', '1080p'] as const
export type RungName = (typeof rungNames)[number]

/** Audio is a separate track that all rungs share. */
export type TrackName = RungName | 'audio'

export type Rung = {
  readonly name: RungName
  /** Frame size; width and height are even. */
  readonly width: number
  readonly height: number
  /** x264's constant rate factor, and the cap on the bitrate, in bits per second. */
  readonly crf: number
  readonly bitrateMax: number
  /** One sentence on why the rung is encoded. */
  readonly reason: string
}

/** A requested rung that is not encoded, and why. */
export type SkippedRung = { readonly name: RungName; readonly reason: string }

export type VideoInputPlan = {
  readonly streamIndex: number
  /** Start of the first frame, relative to the start of the file; absent if they are equal. */
  readonly startSeconds?: number
  readonly isDeinterlaced: boolean
  /** Whether HDR is tone-mapped to SDR. */
  readonly isToneMapped: boolean
  /** Color matrix of a source that does not declare it. */
  readonly inputMatrix: 'auto' | 'bt709' | 'bt601'
}

export type AudioPlan = {
  readonly streamIndex: number
  readonly bitrate: number
  readonly sampleRate: number
  readonly channels: number
  /** True if the source is mono; its channel is copied to both output channels. */
  readonly isFromMono?: true
  readonly language?: string
}

/** A half-open range of segments, counted from 0: `end` is exclusive. */
export type SegmentRange = { readonly start: number; readonly end: number }

/** Output of one encoder run: a range of segments of some tracks. */
export type Part = {
  /** Number of the part, starting with 0. Parts are encoded in this order. */
  readonly number: number
  readonly tracks: readonly PartTrack[]
}

export type PartTrack = {
  readonly name: TrackName
  readonly segments: SegmentRange
  /** The frames to encode, for a segment that is cut; absent for whole segments. AAC frames for audio. */
  readonly frames?: { readonly start: number; readonly end: number }
}

export type Plan = {
  readonly durationSeconds: number
  /** Output frame rate, the same for all rungs. */
  readonly frameRate: Rational
  /** Total number of frames at `frameRate`. */
  readonly frames: number
  /**
   * Frames that the first segment lacks, because the video is a rendered part of another one; absent if it is whole.
   * Times start with the first frame that exists.
   */
  readonly firstFrame?: number
  /** Frames between keyframes, the same for all rungs, and frames per segment, a multiple of that. */
  readonly gopFrames: number
  readonly segmentFrames: number
  /** Total number of segments. */
  readonly segments: number
  readonly picture: VideoInputPlan
  readonly audio: AudioPlan | null
  /** Rungs, smallest first; at least one. */
  readonly rungs: readonly Rung[]
  readonly leftOut: readonly SkippedRung[]
  /** Together the parts contain every segment of every track once. */
  readonly parts: readonly Part[]
}

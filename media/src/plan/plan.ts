/**
 * What is made of a video: decided once, from what the probe found and what was asked for, before
 * anything is made. Plain JSON, kept with the asset, so that every part is made by the same plan
 * whoever makes it.
 */
import type { Rational } from '../probe/rational.ts'

/** Smallest first. Named by the shorter side of the picture. */
export const rungNames = ['240p', '360p', '480p', '540p', '720p', '1080p'] as const
export type RungName = (typeof rungNames)[number]

/** The sound is a track of its own, which all rungs share. */
export type TrackName = RungName | 'audio'

export type Rung = {
  readonly name: RungName
  /** Both even. */
  readonly width: number
  readonly height: number
  /** x264's constant rate factor, and what caps it: bits a second. */
  readonly crf: number
  readonly bitrateMax: number
  /** Why it is made, in one sentence. */
  readonly reason: string
}

/** A rung that was asked for and is not made, and why. */
export type LeftOutRung = { readonly name: RungName; readonly reason: string }

export type PicturePlan = {
  readonly streamIndex: number
  /** When its first picture is shown, from the beginning of the file; absent if both are the same. */
  readonly startSeconds?: number
  readonly isDeinterlaced: boolean
  /** From a high dynamic range to the ordinary one. */
  readonly isToneMapped: boolean
  /** How the source's colours are to be read where it does not say. */
  readonly inputMatrix: 'auto' | 'bt709' | 'bt601'
}

export type AudioPlan = {
  readonly streamIndex: number
  readonly bitrate: number
  readonly sampleRate: number
  readonly channels: number
  /** The source has one channel, which is to be heard from both sides. */
  readonly isFromMono?: true
  readonly language?: string
}

/** Half open: `start` is the first segment, counted from 0, `end` the first one no longer in it. */
export type SegmentRange = { readonly start: number; readonly end: number }

/** What one run of the encoder makes: a stretch of time, of some tracks. */
export type Part = {
  /** The order in which they are wanted; the first is 0. */
  readonly number: number
  readonly tracks: readonly PartTrack[]
}

export type PartTrack = { readonly name: TrackName; readonly segments: SegmentRange }

export type Plan = {
  readonly durationSeconds: number
  /** Of every rung. */
  readonly frameRate: Rational
  /** In the whole video, at that rate. */
  readonly frames: number
  /** Between keyframes, on the same grid in every rung; and in a segment, which is a whole number of those. */
  readonly gopFrames: number
  readonly segmentFrames: number
  /** In the whole video. */
  readonly segments: number
  readonly picture: PicturePlan
  readonly audio: AudioPlan | null
  /** Smallest first. There is at least one. */
  readonly rungs: readonly Rung[]
  readonly leftOut: readonly LeftOutRung[]
  /** Together they are every segment of every track, once. */
  readonly parts: readonly Part[]
}

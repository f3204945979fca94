/** What making a part leaves on the disk: CMAF segments, ready to be put where viewers fetch them. */
import type { TrackName } from '../plan/plan.ts'

export type MadeFile = { readonly path: string; readonly bytes: number }

/**
 * Where a keyframe lies in its segment, with the header that a player needs to show it alone; and
 * for how long it stands.
 */
export type Keyframe = {
  readonly offset: number
  readonly bytes: number
  readonly seconds: number
}

export type MadeSegment = MadeFile & {
  readonly seconds: number
  /** Of a video. */
  readonly keyframes: readonly Keyframe[]
}

export type MadeTrack = {
  readonly name: TrackName
  /** As playlists say it: "avc1.64001f", "mp4a.40.2". */
  readonly codecs: string
  /** The same, whichever part of the track it was made with. */
  readonly init: MadeFile
  readonly segments: readonly MadeSegment[]
}

export type MadePart = {
  readonly tracks: readonly MadeTrack[]
  readonly cpuSeconds: number
}

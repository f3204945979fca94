/** Output of encoding a part: CMAF segments on disk, ready to be uploaded. */
import type { TrackName } from '../../plan/plan.ts'

export type OutputFile = { readonly path: string; readonly bytes: number }

/** Position of a keyframe in its segment, with the header needed to decode it alone, and its duration. */
export type Keyframe = {
  readonly offset: number
  readonly bytes: number
  readonly seconds: number
}

export type EncodedSegment = OutputFile & {
  readonly seconds: number
  /** Keyframes of the segment; empty for audio. */
  readonly keyframes: readonly Keyframe[]
}

export type EncodedTrack = {
  readonly name: TrackName
  /** Codec string, for example "avc1.64001f" or "mp4a.40.2". */
  readonly codecs: string
  /** The init segment, identical in all parts of the track. */
  readonly init: OutputFile
  readonly segments: readonly EncodedSegment[]
  /** Maximum amplitude of the audio, see waveform/peaks.ts; absent for video. */
  readonly peaks?: Uint8Array
}

export type EncodedPart = {
  readonly tracks: readonly EncodedTrack[]
  readonly cpuSeconds: number
}

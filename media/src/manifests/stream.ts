/** A video as players see it: the input of HLS playlists and DASH manifests. */

import type { Keyframe } from '../encode/output/encoded-part.ts'
import type { EncryptionScheme } from '../encryption/encryption.ts'
import type { Rational } from '../probe/facts/rational.ts'

/** A segment of a track. URIs are relative to the manifest. */
export type StreamSegment = {
  readonly uri: string
  readonly bytes: number
  readonly seconds: number
  readonly keyframes: readonly Keyframe[]
  /** Key of the segment; absent if the segment is not encrypted as a whole. */
  readonly key?: SegmentKey
}

/** AES-128 encryption of whole segments, as defined by HLS. */
export type SegmentKey = {
  /** URI from which authorized clients get the key. */
  readonly uri: string
  /** IV as 32 hexadecimal digits. */
  readonly iv: string
}

export type StreamTrack = {
  readonly name: string
  readonly codecs: string
  readonly initUri: string
  /** Maximum bitrate in bits per second, which is known before the segments are encoded. */
  readonly bitrateMax: number
  /** Consecutive segments. */
  readonly segments: readonly StreamSegment[]
  /** Time of the first segment according to the timestamps in the files; absent if it is 0. */
  readonly startSeconds?: number
  /** Encryption of the track; absent if the track is not encrypted. */
  readonly protection?: TrackProtection
}

/** Common Encryption of a track, and how players get its key. */
export type TrackProtection = {
  readonly scheme: EncryptionScheme
  /** Key id as 32 hexadecimal digits. */
  readonly kid: string
  /** Complete playlist lines: `#EXT-X-KEY:…` and `#EXT-X-SESSION-KEY:…`. */
  readonly hlsKeys: readonly string[]
  readonly hlsSessionKeys: readonly string[]
  readonly dash: readonly DashProtection[]
}

/** One key system in DASH. */
export type DashProtection = {
  readonly systemId: string
  /** Name of the key system; informative. */
  readonly value?: string
  /** A complete `pssh` box, in base64. */
  readonly pssh?: string
  /** XML elements of the DRM provider, inserted unchanged. */
  readonly elements?: string
}

export type VideoTrack = StreamTrack & {
  readonly width: number
  readonly height: number
  readonly frameRate: Rational
}

export type AudioTrack = StreamTrack & {
  readonly channels: number
  readonly sampleRate: number
  readonly language?: string
}

export type SubtitleTrack = {
  /** Name of the subtitle track, unique in the stream. */
  readonly name: string
  /** BCP 47 language tag. */
  readonly language: string
  readonly label: string
  /** True if the subtitles were transcribed by a machine. */
  readonly isAutomatic: boolean
  /** URI of the WebVTT file. */
  readonly uri: string
}

/** `stopped`: the video is incomplete, and is not encoded any further unless processing is retried. */
export type Growth = 'growing' | 'stopped' | 'whole'

export type Stream = {
  readonly growth: Growth
  /** Duration of the complete video, even if only a part is encoded. */
  readonly durationSeconds: number
  /** Planned maximum duration of a video segment, and planned keyframe interval. */
  readonly segmentSeconds: number
  readonly keyframeSeconds: number
  /** Video tracks, smallest first; at least one. */
  readonly video: readonly VideoTrack[]
  readonly audio: AudioTrack | null
  readonly subtitles: readonly SubtitleTrack[]
  /** Folder of all other files, relative to the manifest, such as `v2/`; absent if they are beside it. */
  readonly folder?: string
  /**
   * Where the video starts according to the timestamps in the files, which is the start of a segment; absent for 0.
   */
  readonly startSeconds?: number
  /** Where players start, from the first segment on; absent if it is the beginning of that segment. */
  readonly leadSeconds?: number
}

/** Bitrates in bits per second. */
export type Rates = { readonly peak: number; readonly average: number }

type Listed<Track extends StreamTrack> = Omit<Track, 'segments' | 'initUri'> & {
  readonly rates: Rates
}

/** The content of the multivariant playlist: a stream without its segments, of which a long video has many. */
export type Listing = Pick<Stream, 'growth' | 'subtitles' | 'folder' | 'leadSeconds'> & {
  /** URI of the chapters in Apple's format; absent if the video has no chapters. */
  readonly chaptersUri?: string
  /** `keyframeRates` is null for a track without keyframes. */
  readonly video: readonly (Listed<VideoTrack> & { readonly keyframeRates: Rates | null })[]
  readonly audio: Listed<AudioTrack> | null
}

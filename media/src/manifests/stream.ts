/** A video as a player needs to know it: what HLS playlists and DASH manifests are written from. */
import type { EncryptionScheme } from '../encryption/encryption.ts'
import type { Keyframe } from '../part/made-part.ts'
import type { Rational } from '../probe/rational.ts'

/** Addresses are relative to the manifest that names them. */
export type StreamSegment = {
  readonly uri: string
  readonly bytes: number
  readonly seconds: number
  readonly keyframes: readonly Keyframe[]
  /** Absent of what is not encrypted as a whole. */
  readonly key?: SegmentKey
}

/** AES-128 in the mode that HLS has for whole files. */
export type SegmentKey = {
  /** Where the key is to be had, by those who may have it. */
  readonly uri: string
  /** 32 hexadecimal digits. */
  readonly iv: string
}

export type StreamTrack = {
  readonly name: string
  readonly codecs: string
  readonly initUri: string
  /** What caps it, in bits a second: known before its segments are. */
  readonly bitrateMax: number
  /** From the first one on, without a gap. */
  readonly segments: readonly StreamSegment[]
  /** Absent of what is in the clear. */
  readonly protection?: TrackProtection
}

/** How a track is encrypted by Common Encryption, and how players come to its key. */
export type TrackProtection = {
  readonly scheme: EncryptionScheme
  /** 32 hexadecimal digits. */
  readonly kid: string
  /** Whole lines of playlists, `#EXT-X-KEY:…` and `#EXT-X-SESSION-KEY:…`. */
  readonly hlsKeys: readonly string[]
  readonly hlsSessionKeys: readonly string[]
  readonly dash: readonly DashProtection[]
}

/** One key system, in DASH. */
export type DashProtection = {
  readonly systemId: string
  /** For people. */
  readonly value?: string
  /** A whole `pssh` box, in base64. */
  readonly pssh?: string
  /** Elements that its maker wants to stand there, as they are. */
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
  /** Unique in the stream. */
  readonly name: string
  /** BCP 47. */
  readonly language: string
  readonly label: string
  /** Made by a machine from the sound. */
  readonly isAutomatic: boolean
  /** Of the WebVTT file. */
  readonly uri: string
}

/** Stopped: not all of it is there, and nobody makes more, unless somebody has it processed again. */
export type Growth = 'growing' | 'stopped' | 'whole'

export type Stream = {
  readonly growth: Growth
  /** Of the whole video, however much of it is there. */
  readonly durationSeconds: number
  /** As planned: no segment of the picture is longer, and no time between two of its keyframes. */
  readonly segmentSeconds: number
  readonly keyframeSeconds: number
  /** Smallest first; at least one. */
  readonly video: readonly VideoTrack[]
  readonly audio: AudioTrack | null
  readonly subtitles: readonly SubtitleTrack[]
}

/** Bits a second. */
export type Rates = { readonly peak: number; readonly average: number }

type Listed<Track extends StreamTrack> = Omit<Track, 'segments' | 'initUri'> & {
  readonly rates: Rates
}

/**
 * What of a stream is told before any of its segments: those of a long video are many, and a player
 * asks for this first.
 */
export type Listing = Pick<Stream, 'growth' | 'subtitles'> & {
  /** Of the chapters as Apple's players read them; absent of a video without any. */
  readonly chaptersUri?: string
  /** Without keyframes there are no rates of them. */
  readonly video: readonly (Listed<VideoTrack> & { readonly keyframeRates: Rates | null })[]
  readonly audio: Listed<AudioTrack> | null
}

/**
 * Peaks: the maximum amplitude of the audio, twenty points per second, for the timelines of editors. The encoder of a
 * part writes its decoded audio to a temporary file, so that nothing is decoded again.
 */
import { AAC_FRAME_SAMPLES, audioFrames, type FrameRange } from '../encode/arguments/frame-ranges.ts'
import type { AudioPlan, Plan } from '../plan/plan.ts'

export const PEAKS_PER_SECOND = 20

const BYTES_PER_SAMPLE = 2
const FULL_SCALE = 2 ** 15
const PEAK_MAX = 255

/** Size of the samples of a part; stereo at 48 kHz takes 192 kB per second. */
export const sampleBytes = ({ sampleRate, channels }: AudioPlan, seconds: number) =>
  Math.ceil(seconds * sampleRate * channels * BYTES_PER_SAMPLE)

type PartAudio = { readonly audio: AudioPlan; readonly frames: FrameRange }

/**
 * The points that the audio frames of a part touch. The first and the last one may be only partly in this part, and
 * the same points of the neighbors have the rest. `content` has samples of 16 bits, little-endian like the processors
 * that run this.
 */
export function peaksOf(content: Buffer, { audio, frames }: PartAudio): Uint8Array {
  const samples = new Int16Array(content.buffer, content.byteOffset, Math.floor(content.length / BYTES_PER_SAMPLE))
  const { channels, sampleRate } = audio
  const samplesPerPeak = sampleRate / PEAKS_PER_SECOND
  const first = firstPeak(frames.start, sampleRate)
  const peaks = new Uint8Array(firstPeak(frames.end, sampleRate) + 1 - first)
  const start = frames.start * AAC_FRAME_SAMPLES - first * samplesPerPeak
  for (let index = 0; index < peaks.length; index++) {
    const from = Math.max(0, Math.ceil(index * samplesPerPeak - start)) * channels
    const to = Math.min(samples.length, Math.ceil((index + 1) * samplesPerPeak - start) * channels)
    let loudest = 0
    for (let at = from; at < to; at++) loudest = Math.max(loudest, Math.abs(samples[at] ?? 0))
    peaks[index] = Math.min(PEAK_MAX, Math.round((loudest * PEAK_MAX) / FULL_SCALE))
  }
  return peaks
}

/** The point that contains the start of an audio frame. */
const firstPeak = (frame: number, sampleRate: number) =>
  Math.floor((frame * AAC_FRAME_SAMPLES * PEAKS_PER_SECOND) / sampleRate)

export type PartPeaks = {
  /** The first segment of the part. */
  readonly firstSegment: number
  readonly peaks: Uint8Array
}

/** Joins the peaks of all parts to those of the video. */
export function joinPeaks(plan: Plan, parts: readonly PartPeaks[]): Uint8Array {
  const joined = new Uint8Array(Math.ceil(plan.durationSeconds * PEAKS_PER_SECOND))
  const { audio } = plan
  if (!audio) return joined
  for (const { firstSegment, peaks } of parts) {
    const { start } = audioFrames(plan, audio, { start: firstSegment, end: firstSegment + 1 })
    const first = firstPeak(start, audio.sampleRate)
    for (const [index, peak] of peaks.entries()) {
      // Writes beyond the end of the array have no effect.
      joined[first + index] = Math.max(joined[first + index] ?? 0, peak)
    }
  }
  return joined
}

/** Checks that the audio is complete, as loud as the source, and in sync with the video. */
import { SAMPLE_RATE } from '@reelkeep/media/film-reader'
import type { Probed } from './ffprobe.ts'

const AAC_FRAME_SAMPLES = 1024
const CHANNELS = 2

const format = {
  ...{ codec_name: 'aac', profile: 'LC', sample_rate: String(SAMPLE_RATE), channels: CHANNELS },
  time_base: `1/${SAMPLE_RATE}`,
}

/** Checks the audio format, and that the audio frames are contiguous from 0 to the end of the video. */
export function findFrameErrors({ streams, packets = [] }: Probed, endSeconds: number): string[] {
  const errors = Object.entries(format).flatMap(([field, value]) =>
    streams[0]?.[field] === value ? [] : [`${field} is ${streams[0]?.[field]}, not ${value}`],
  )
  const off = packets.findIndex(({ pts }, index) => pts !== index * AAC_FRAME_SAMPLES)
  if (off >= 0) errors.push(`audio frame ${off} is at ${packets[off]?.pts}`)
  const ends = (packets.length * AAC_FRAME_SAMPLES) / SAMPLE_RATE
  if (Math.abs(ends - endSeconds) > AAC_FRAME_SAMPLES / SAMPLE_RATE) {
    errors.push(`the audio ends at ${ends}, the video at ${endSeconds}`)
  }
  return errors
}

type TimeRange = { readonly from: number; readonly to: number }

/** Duration of the first AAC frame, which fades in, because the decoder needs a previous frame. */
const FADED_SECONDS = AAC_FRAME_SAMPLES / SAMPLE_RATE
/** Time skipped at the start, so that a small shift cannot cut the first beep in only one of the two recordings. */
const FIRST_BEEP_SECONDS = 0.15
const SHORT_SECONDS = 1.5

/** Difference in loudness, in decibels, of the channel that differs more; positive if louder than the source. */
export function loudnessDifference(encoded: Float32Array, source: Float32Array, whole: TimeRange) {
  const skipped = whole.to - whole.from < SHORT_SECONDS ? FADED_SECONDS : FIRST_BEEP_SECONDS
  const range = { from: whole.from + skipped, to: whole.to }
  const differences = [0, 1].map(
    (channel) => 20 * Math.log10(power(encoded, channel, range) / power(source, channel, range)),
  )
  return differences.reduce((worst, value) => (Math.abs(value) > Math.abs(worst) ? value : worst), 0)
}

function power(samples: Float32Array, channel: number, { from, to }: TimeRange): number {
  const start = Math.round(from * SAMPLE_RATE)
  const end = Math.min(Math.round(to * SAMPLE_RATE), samples.length / CHANNELS)
  let sum = 0
  for (let at = start; at < end; at++) sum += (samples[at * CHANNELS + channel] ?? 0) ** 2
  return Math.sqrt(sum / Math.max(1, end - start))
}

const WINDOW_SECONDS = 0.02
/** A window below this share of the median level, which is the level of the hum between the beeps, is a gap. */
const GAP_SHARE = 0.25
/** Time ignored at the start and the end, where codecs distort the audio. */
const EDGE_SECONDS = 0.06

/** Times at which the audio is silent although it should not be. */
export function findGaps(encoded: Float32Array, { from, to }: TimeRange): number[] {
  const count = Math.floor((to - from - 2 * EDGE_SECONDS) / WINDOW_SECONDS)
  const times = Array.from({ length: Math.max(0, count) }, (_, index) => from + EDGE_SECONDS + index * WINDOW_SECONDS)
  const levels = times.map((at) => power(encoded, 0, { from: at, to: at + WINDOW_SECONDS }))
  const usual = levels.toSorted((a, b) => a - b)[Math.floor(levels.length / 2)] ?? 0
  return times.filter((_, index) => (levels[index] ?? 0) < GAP_SHARE * usual)
}

/** Maximum distance between a flash and the beep that belongs to it. */
const BEAT_SECONDS_MAX = 0.25

/** Delay of each beep after its flash, by the number of the flash. */
export function beatsOf(flashes: readonly number[], beeps: readonly number[]) {
  return new Map(
    flashes.flatMap((flash, number) => {
      const beep = beeps.find((seconds) => Math.abs(seconds - flash) < BEAT_SECONDS_MAX)
      return beep === undefined ? [] : [[number, beep - flash] as const]
    }),
  )
}

/** Leaves out the first beat, because its beep may be detected late in the fade-in of the codec. */
export const withoutFadeIn = (beats: ReadonlyMap<number, number>) => (beats.size > 1 ? withoutFirst(beats) : beats)

export const withoutFirst = (beats: ReadonlyMap<number, number>) => new Map([...beats].filter(([number]) => number > 0))

/** Largest shift of the audio relative to the video, in seconds; NaN if the two do not have the same beats. */
export function largestShift(encoded: ReadonlyMap<number, number>, source: ReadonlyMap<number, number>): number {
  if ([...encoded.keys()].join() !== [...source.keys()].join()) return Number.NaN
  const shifts = [...encoded].map(([number, after]) => after - (source.get(number) ?? Number.NaN))
  return shifts.reduce((worst, value) => (Math.abs(value) > Math.abs(worst) ? value : worst), 0)
}

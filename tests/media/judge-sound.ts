/** Whether the sound is all there, as loud as it was, and with its pictures. */
import { SAMPLE_RATE } from '@reelkeep/media/film-reader'
import type { Probed } from './streams-of.ts'

const AAC_FRAME_SAMPLES = 1024
const CHANNELS = 2

const form = {
  ...{ codec_name: 'aac', profile: 'LC', sample_rate: String(SAMPLE_RATE), channels: CHANNELS },
  time_base: `1/${SAMPLE_RATE}`,
}

/** From 0 on, frame after frame, up to the end of the pictures. */
export function faultsOfFrames({ streams, packets = [] }: Probed, endSeconds: number): string[] {
  const faults = Object.entries(form).flatMap(([field, value]) =>
    streams[0]?.[field] === value ? [] : [`${field} is ${streams[0]?.[field]}, not ${value}`],
  )
  const off = packets.findIndex(({ pts }, index) => pts !== index * AAC_FRAME_SAMPLES)
  if (off >= 0) faults.push(`sound frame ${off} stands at ${packets[off]?.pts}`)
  const ends = (packets.length * AAC_FRAME_SAMPLES) / SAMPLE_RATE
  if (Math.abs(ends - endSeconds) > AAC_FRAME_SAMPLES / SAMPLE_RATE) {
    faults.push(`the sound ends at ${ends}, the picture at ${endSeconds}`)
  }
  return faults
}

type Stretch = { readonly from: number; readonly to: number }

/** The first frame of a file is faded in: a decoder needs the one before to have all of it. */
const FADED_SECONDS = AAC_FRAME_SAMPLES / SAMPLE_RATE
/** Until the first beep is over. A film is moved as a whole by less than a frame, and half a beep would be counted. */
const FIRST_BEEP_SECONDS = 0.15
const SHORT_SECONDS = 1.5

/** In decibels, of the channel in which it is more; positive when louder than the source. */
export function loudnessDifference(made: Float32Array, source: Float32Array, whole: Stretch) {
  const left = whole.to - whole.from < SHORT_SECONDS ? FADED_SECONDS : FIRST_BEEP_SECONDS
  const stretch = { from: whole.from + left, to: whole.to }
  const differences = [0, 1].map(
    (channel) => 20 * Math.log10(power(made, channel, stretch) / power(source, channel, stretch)),
  )
  return differences.reduce((worst, one) => (Math.abs(one) > Math.abs(worst) ? one : worst), 0)
}

function power(sound: Float32Array, channel: number, { from, to }: Stretch): number {
  const start = Math.round(from * SAMPLE_RATE)
  const end = Math.min(Math.round(to * SAMPLE_RATE), sound.length / CHANNELS)
  let sum = 0
  for (let at = start; at < end; at++) sum += (sound[at * CHANNELS + channel] ?? 0) ** 2
  return Math.sqrt(sum / Math.max(1, end - start))
}

const WINDOW_SECONDS = 0.02
/** Of how loud it usually is: the hum between the beeps. */
const HOLE = 0.25
/** Codecs need a moment to begin, and to end. */
const EDGE_SECONDS = 0.06

/** When there is nothing to be heard although there should be. */
export function findHoles(made: Float32Array, { from, to }: Stretch): number[] {
  const count = Math.floor((to - from - 2 * EDGE_SECONDS) / WINDOW_SECONDS)
  const times = Array.from(
    { length: Math.max(0, count) },
    (_, index) => from + EDGE_SECONDS + index * WINDOW_SECONDS,
  )
  const levels = times.map((at) => power(made, 0, { from: at, to: at + WINDOW_SECONDS }))
  const usual = levels.toSorted((a, b) => a - b)[Math.floor(levels.length / 2)] ?? 0
  return times.filter((_, index) => (levels[index] ?? 0) < HOLE * usual)
}

/** Further apart they do not belong together. */
const BEAT_SECONDS_MAX = 0.25

/** By how much each beep comes after its flash, by the number of the flash. */
export function beatsOf(flashes: readonly number[], beeps: readonly number[]) {
  return new Map(
    flashes.flatMap((flash, number) => {
      const beep = beeps.find((seconds) => Math.abs(seconds - flash) < BEAT_SECONDS_MAX)
      return beep === undefined ? [] : [[number, beep - flash] as const]
    }),
  )
}

/** Without the first, which may be in what is faded in and seems to come later. */
export const settled = (beats: ReadonlyMap<number, number>) =>
  beats.size > 1 ? withoutFirst(beats) : beats

export const withoutFirst = (beats: ReadonlyMap<number, number>) =>
  new Map([...beats].filter(([number]) => number > 0))

/** The most that sound has moved against the picture, in seconds; NaN if a beat has gone, or come. */
export function movedSeconds(
  made: ReadonlyMap<number, number>,
  source: ReadonlyMap<number, number>,
): number {
  if ([...made.keys()].join() !== [...source.keys()].join()) return Number.NaN
  const moved = [...made].map(([number, after]) => after - (source.get(number) ?? Number.NaN))
  return moved.reduce((worst, one) => (Math.abs(one) > Math.abs(worst) ? one : worst), 0)
}

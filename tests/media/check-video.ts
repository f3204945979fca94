/** Checks that a rendition has every frame of its source at the right time, in a format that every device decodes. */
import type { SeenFrame } from '@reelkeep/media/film-reader'
import type { Probed } from './ffprobe.ts'

export type Rate = { readonly numerator: number; readonly denominator: number }

export const toRate = (text: string): Rate => {
  const [numerator = 0, denominator = 1] = text.split('/').map(Number)
  return { numerator, denominator }
}

const KEYFRAME_SECONDS = 2

const format = {
  codec_name: 'h264',
  pix_fmt: 'yuv420p',
  sample_aspect_ratio: '1:1',
  field_order: 'progressive',
  color_range: 'tv',
  color_space: 'bt709',
  color_transfer: 'bt709',
  color_primaries: 'bt709',
}

export function findFormatErrors(
  { streams }: Probed,
  size: { readonly width: number; readonly height: number },
): string[] {
  const expected = { ...format, width: size.width, height: size.height }
  return Object.entries(expected).flatMap(([field, value]) =>
    streams[0]?.[field] === value ? [] : [`${field} is ${streams[0]?.[field]}, not ${value}`],
  )
}

/** Checks the number of frames, their even spacing from 0, and that there is a keyframe exactly every two seconds. */
export function findGridErrors({ streams, packets = [] }: Probed, rate: Rate, frames: number) {
  const ticks = toRate(streams[0]?.time_base ?? '')
  const perFrame = (rate.denominator * ticks.denominator) / (rate.numerator * ticks.numerator)
  const numbers = packets.map(({ pts }) => pts / perFrame).toSorted((a, b) => a - b)
  const off = numbers.findIndex((number, index) => number !== index)
  const keys = packets.filter(({ flags }) => flags.startsWith('K')).map(({ pts }) => pts / perFrame)
  const group = Math.round((KEYFRAME_SECONDS * rate.numerator) / rate.denominator)
  const grid = Array.from({ length: Math.ceil(frames / group) }, (_, index) => index * group)
  return [
    ...(packets.length === frames ? [] : [`${packets.length} frames instead of ${frames}`]),
    ...(off < 0 ? [] : [`frame ${off} is at ${numbers[off]}`]),
    ...(keys.join() === grid.join() ? [] : [`keyframes at ${keys} instead of ${grid}`]),
    ...(packets.every(({ duration }) => duration === perFrame) ? [] : ['frames have different durations']),
  ]
}

/** Tolerance in frames: a source frame halfway between two output frames may be displayed in either. */
const TIE = 0.05

/**
 * Checks that each output frame shows the last source frame whose timestamp, rounded to output frames, has passed.
 * The first source frame is also shown before its timestamp, and the last one until the end. At a lower frame rate,
 * the last source frame may be dropped.
 */
export function findCountErrors(seen: readonly SeenFrame[], source: readonly SeenFrame[], rate: Rate): string[] {
  const perSecond = rate.numerator / rate.denominator
  const start = source[0]?.seconds ?? 0
  const first = Math.round(start * perSecond)
  const due = source.map(({ seconds }) => first + (seconds - start) * perSecond)
  const countAt = (frame: number) =>
    source[
      Math.max(
        0,
        due.findLastIndex((at) => at <= frame),
      )
    ]?.pattern?.count ?? Number.NaN
  const lastFrame = Math.floor((due.at(-1) ?? 0) + TIE)
  const errors = seen.flatMap(({ pattern }, frame) => {
    if (!pattern) return [`frame ${frame} has no readable number`]
    const minimum = countAt(Math.min(frame + 0.5 - TIE, lastFrame + TIE))
    const maximum = countAt(frame + 0.5 + TIE)
    const isDue = pattern.count >= minimum && pattern.count <= maximum
    return isDue ? [] : [`frame ${frame} shows number ${pattern.count} instead of ${minimum}`]
  })
  return shorten(errors)
}

const ERRORS_SHOWN_MAX = 5

const shorten = (errors: readonly string[]) =>
  errors.length > ERRORS_SHOWN_MAX
    ? [...errors.slice(0, ERRORS_SHOWN_MAX), `and ${errors.length - ERRORS_SHOWN_MAX} more`]
    : [...errors]

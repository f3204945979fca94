/** Whether a rendition has every picture of its source, each at its time, in the form that every device decodes. */
import type { SeenPicture } from '@reelkeep/media/film-reader'
import type { Probed } from './streams-of.ts'

export type Rate = { readonly numerator: number; readonly denominator: number }

export const toRate = (text: string): Rate => {
  const [numerator = 0, denominator = 1] = text.split('/').map(Number)
  return { numerator, denominator }
}

const KEYFRAME_SECONDS = 2

const form = {
  codec_name: 'h264',
  pix_fmt: 'yuv420p',
  sample_aspect_ratio: '1:1',
  field_order: 'progressive',
  color_range: 'tv',
  color_space: 'bt709',
  color_transfer: 'bt709',
  color_primaries: 'bt709',
}

export function faultsOfForm(
  { streams }: Probed,
  size: { readonly width: number; readonly height: number },
): string[] {
  const wanted = { ...form, width: size.width, height: size.height }
  return Object.entries(wanted).flatMap(([field, value]) =>
    streams[0]?.[field] === value ? [] : [`${field} is ${streams[0]?.[field]}, not ${value}`],
  )
}

/**
 * That frames are as many as planned, evenly spaced from 0 on, and that every keyframe is where one
 * must be and nowhere else.
 */
export function faultsOfGrid({ streams, packets = [] }: Probed, rate: Rate, frames: number) {
  const ticks = toRate(streams[0]?.time_base ?? '')
  const perFrame = (rate.denominator * ticks.denominator) / (rate.numerator * ticks.numerator)
  const numbers = packets.map(({ pts }) => pts / perFrame).toSorted((a, b) => a - b)
  const off = numbers.findIndex((number, index) => number !== index)
  const keys = packets.filter(({ flags }) => flags.startsWith('K')).map(({ pts }) => pts / perFrame)
  const group = Math.round((KEYFRAME_SECONDS * rate.numerator) / rate.denominator)
  const grid = Array.from({ length: Math.ceil(frames / group) }, (_, index) => index * group)
  return [
    ...(packets.length === frames ? [] : [`${packets.length} frames instead of ${frames}`]),
    ...(off < 0 ? [] : [`frame ${off} stands at ${numbers[off]}`]),
    ...(keys.join() === grid.join() ? [] : [`keyframes at ${keys} instead of ${grid}`]),
    ...(packets.every(({ duration }) => duration === perFrame) ? [] : ['frames of other lengths']),
  ]
}

/** A picture that comes in the middle between two frames may be shown with either. */
const TIE = 0.05

/**
 * That frame after frame shows the picture that is due: the last one of the source whose time has
 * come, to the nearest frame. The first stands until its time, and the last to the end; where there
 * are more pictures than frames, the last may be one that is left out.
 */
export function faultsOfCounts(
  seen: readonly SeenPicture[],
  source: readonly SeenPicture[],
  rate: Rate,
): string[] {
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
  const faults = seen.flatMap(({ pattern }, frame) => {
    if (!pattern) return [`frame ${frame} shows no number, or not upright`]
    const least = countAt(Math.min(frame + 0.5 - TIE, lastFrame + TIE))
    const most = countAt(frame + 0.5 + TIE)
    const isDue = pattern.count >= least && pattern.count <= most
    return isDue ? [] : [`frame ${frame} shows picture ${pattern.count} instead of ${least}`]
  })
  return shortened(faults)
}

const FAULTS_SHOWN_MAX = 5

const shortened = (faults: readonly string[]) =>
  faults.length > FAULTS_SHOWN_MAX
    ? [...faults.slice(0, FAULTS_SHOWN_MAX), `and ${faults.length - FAULTS_SHOWN_MAX} more`]
    : [...faults]

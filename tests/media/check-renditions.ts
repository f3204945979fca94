/** Checks that the right renditions are encoded, none larger than the source, with the right reasons in the plan. */
import type { assets } from '@reelkeep/contract'
import type { ExpectedFilm } from '@reelkeep/media/film'
import type { PublishedVideo } from './published-video.ts'

type Size = { readonly width: number; readonly height: number }

/** Smallest first. */
export const requestedNames = ['240p', '360p', '480p', '540p', '720p', '1080p'] as const

/** A rung may be this much larger than the source; the source then still counts as this rung. */
const NAME_TOLERANCE = 1.02
/** Width and height are rounded to even numbers, so each may differ by one pixel. */
const SIDE_TOLERANCE_PIXELS = 1

export function findRenditionErrors(
  source: ExpectedFilm,
  { renditions }: assets.AssetPlan,
  { rungs }: Pick<PublishedVideo, 'rungs'>,
): string[] {
  const expected = expectedNames(source)
  const errors = [
    ...compare(
      'encoded',
      rungs.map(({ name }) => name),
      expected,
    ),
    ...compare(
      'planned',
      renditions.map(({ name }) => name),
      requestedNames,
    ),
    ...rungs.flatMap((rung) => findSizeErrors(rung.name, rung, source)),
  ]
  for (const planned of renditions) {
    const rung = rungs.find(({ name }) => name === planned.name)
    errors.push(...(rung ? findEncodedErrors(planned, rung) : findSkippedErrors(planned, source)))
  }
  return errors
}

const shorterSide = ({ width, height }: Size) => Math.min(width, height)
const pixelsOf = (name: string) => Number.parseInt(name, 10)

function expectedNames(source: Size): readonly string[] {
  const within = requestedNames.filter((name) => pixelsOf(name) <= shorterSide(source) * NAME_TOLERANCE)
  return within.length > 0 ? within : requestedNames.slice(0, 1)
}

function findSizeErrors(name: string, encoded: Size, source: Size): string[] {
  const scale = Math.min(pixelsOf(name), shorterSide(source)) / shorterSide(source)
  return (['width', 'height'] as const).flatMap((side) => {
    const errors: string[] = []
    const exact = source[side] * scale
    if (encoded[side] % 2 !== 0) errors.push(`${name}: the ${side} ${encoded[side]} is odd`)
    if (encoded[side] > source[side]) errors.push(`${name}: the ${side} exceeds the source`)
    if (Math.abs(encoded[side] - exact) > SIDE_TOLERANCE_PIXELS) {
      errors.push(`${name}: the ${side} is ${encoded[side]} instead of ${exact.toFixed(1)}`)
    }
    return errors
  })
}

type Planned = assets.AssetPlan['renditions'][number]

function findEncodedErrors({ name, decision, width, height, status }: Planned, encoded: Size): string[] {
  const planned = `${decision} ${status} ${width}x${height}`
  return compare(`plan of ${name}`, [planned], [`encoded Completed ${encoded.width}x${encoded.height}`])
}

function findSkippedErrors({ name, decision, reason }: Planned, source: Size): string[] {
  const side = source.width < source.height ? `${source.width} pixels wide` : `${source.height} pixels high`
  const expectedReason = `The source is only ${side}, and videos are not upscaled.`
  return compare(`plan of ${name}`, [decision, reason], ['skipped', expectedReason])
}

function compare(label: string, seen: readonly unknown[], expected: readonly unknown[]): string[] {
  const [is, should] = [JSON.stringify(seen), JSON.stringify(expected)]
  return is === should ? [] : [`${label}: ${is} instead of ${should}`]
}

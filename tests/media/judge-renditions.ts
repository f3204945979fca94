/** Whether the renditions are those that the source is good for, none larger than it, and the plan tells why. */
import type { assets } from '@reelkeep/contract'
import type { ExpectedFilm } from '@reelkeep/media/film'
import type { PublishedVideo } from './published-video.ts'

type Size = { readonly width: number; readonly height: number }

/** Smallest first. */
export const askedNames = ['240p', '360p', '480p', '540p', '720p', '1080p'] as const

/** A picture that lacks a few lines still goes by the name. */
const NAME_TOLERANCE = 1.02
/** Sides are even, so each may be a pixel off. */
const SIDE_TOLERANCE_PIXELS = 1

export function faultsOfRenditions(
  source: ExpectedFilm,
  { renditions }: assets.AssetPlan,
  { rungs }: Pick<PublishedVideo, 'rungs'>,
): string[] {
  const wanted = wantedNames(source)
  const faults = [
    ...differ(
      'made',
      rungs.map(({ name }) => name),
      wanted,
    ),
    ...differ(
      'planned',
      renditions.map(({ name }) => name),
      askedNames,
    ),
    ...rungs.flatMap((rung) => faultsOfSize(rung.name, rung, source)),
  ]
  for (const planned of renditions) {
    const rung = rungs.find(({ name }) => name === planned.name)
    faults.push(...(rung ? faultsOfMade(planned, rung) : faultsOfLeftOut(planned, source)))
  }
  return faults
}

const shorterSide = ({ width, height }: Size) => Math.min(width, height)
const pixelsOf = (name: string) => Number.parseInt(name, 10)

function wantedNames(source: Size): readonly string[] {
  const within = askedNames.filter((name) => pixelsOf(name) <= shorterSide(source) * NAME_TOLERANCE)
  return within.length > 0 ? within : askedNames.slice(0, 1)
}

function faultsOfSize(name: string, made: Size, source: Size): string[] {
  const scale = Math.min(pixelsOf(name), shorterSide(source)) / shorterSide(source)
  return (['width', 'height'] as const).flatMap((side) => {
    const faults: string[] = []
    const exact = source[side] * scale
    if (made[side] % 2 !== 0) faults.push(`${name}: its ${side} ${made[side]} is odd`)
    if (made[side] > source[side]) faults.push(`${name}: its ${side} is above its source`)
    if (Math.abs(made[side] - exact) > SIDE_TOLERANCE_PIXELS) {
      faults.push(`${name}: its ${side} is ${made[side]} instead of ${exact.toFixed(1)}`)
    }
    return faults
  })
}

type Planned = assets.AssetPlan['renditions'][number]

function faultsOfMade({ name, decision, width, height, status }: Planned, made: Size): string[] {
  const said = `${decision} ${status} ${width}x${height}`
  return differ(`${name} by the plan`, [said], [`made Completed ${made.width}x${made.height}`])
}

function faultsOfLeftOut({ name, decision, reason }: Planned, source: Size): string[] {
  const side = source.width < source.height ? `${source.width} wide` : `${source.height} high`
  const words = `Larger than the source, which is ${side}; nothing is scaled up.`
  return differ(`${name} by the plan`, [decision, reason], ['left_out', words])
}

function differ(what: string, seen: readonly unknown[], wanted: readonly unknown[]): string[] {
  const [is, should] = [JSON.stringify(seen), JSON.stringify(wanted)]
  return is === should ? [] : [`${what}: ${is} instead of ${should}`]
}

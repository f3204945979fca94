/** Decides which of the requested rungs are encoded, at which size, and why others are skipped. */
import type { Size } from '../probe/facts/frame-size.ts'
import { SIDE_MAX, shorterSide, sizeWithin } from './even-size.ts'
import { type RungName, rungNames, type SkippedRung } from './plan.ts'

/** A rung without its bitrate. */
type SizedRung = Size & { readonly name: RungName; readonly reason: string }

type RungChoice = {
  readonly made: readonly SizedRung[]
  readonly leftOut: readonly SkippedRung[]
}

/** A frame that is up to 2 % smaller still counts as this rung: users call 1072 lines 1080p. */
const NAME_TOLERANCE_PERCENT = 2

/**
 * Chooses rungs, smallest first. At least one rung is encoded. Of several with the same size, only the one with
 * the smallest name is encoded.
 */
export function chooseRungs(source: Size, requested: readonly RungName[]): RungChoice {
  const names = rungNames.filter((name) => requested.includes(name))
  const within = names.filter((name) => isWithin(source, name))
  const chosen = within.length > 0 ? within : names.slice(0, 1)
  if (chosen.length === 0) throw new RangeError('No resolution was requested.')
  const { made, leftOut } = removeDuplicates(chosen.map((name) => sizeRung(source, name)))
  const larger = names.filter((name) => !chosen.includes(name))
  return { made, leftOut: [...leftOut, ...larger.map((name) => tooLarge(source, name))] }
}

const pixelsOf = (name: RungName) => Number.parseInt(name, 10)

const isWithin = (source: Size, name: RungName) =>
  pixelsOf(name) * 100 <= shorterSide(source) * (100 + NAME_TOLERANCE_PERCENT)

function sizeRung(source: Size, name: RungName): SizedRung {
  const size = sizeWithin(source, pixelsOf(name))
  return { name, ...size, reason: reasonFor(source, name, size) }
}

function reasonFor(source: Size, name: RungName, { width, height }: Size): string {
  if (isLimitedBySideMax(source, name)) {
    return `Requested; reduced to ${width} × ${height}, because no side may exceed ${SIDE_MAX} pixels.`
  }
  const side = describeSide(source)
  if (pixelsOf(name) <= shorterSide(source)) return `Requested; the source is ${side}.`
  return isWithin(source, name)
    ? `Requested; the source is ${side}, which is close enough, so its size is kept.`
    : `The smallest requested resolution. The source is only ${side} and is not upscaled, so its size is kept.`
}

/** True if the size follows from the maximum length of a side, not from the resolution in the name. */
const isLimitedBySideMax = (source: Size, name: RungName) =>
  Math.max(source.width, source.height) * Math.min(pixelsOf(name), shorterSide(source)) > SIDE_MAX * shorterSide(source)

/** Describes the shorter side, after which a rung is named. */
const describeSide = ({ width, height }: Size) => (width < height ? `${width} pixels wide` : `${height} pixels high`)

const tooLarge = (source: Size, name: RungName): SkippedRung => ({
  name,
  reason: `The source is only ${describeSide(source)}, and videos are not upscaled.`,
})

/** Removes rungs of the same size. Only very wide or very tall frames get the same size under two names. */
function removeDuplicates(sized: readonly SizedRung[]): RungChoice {
  const firstOfSameSize = (rung: SizedRung) =>
    sized.find(({ width, height }) => width === rung.width && height === rung.height) ?? rung
  const leftOut = sized.flatMap((rung) => {
    const first = firstOfSameSize(rung)
    return first === rung ? [] : [{ name: rung.name, reason: duplicateReason(first) }]
  })
  return { made: sized.filter((rung) => firstOfSameSize(rung) === rung), leftOut }
}

const duplicateReason = ({ name, width, height }: SizedRung) =>
  `Identical to ${name} (${width} × ${height}), because no side may exceed ${SIDE_MAX} pixels.`

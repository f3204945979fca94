/** Which of the renditions that were asked for are made, how large, and why not the others. */
import type { Size } from '../probe/picture-size.ts'
import { SIDE_MAX, shorterSide, sizeWithin } from './even-size.ts'
import { type LeftOutRung, type RungName, rungNames } from './plan.ts'

/** What a rung is before its bits are counted. */
type SizedRung = Size & { readonly name: RungName; readonly reason: string }

type RungChoice = {
  readonly made: readonly SizedRung[]
  readonly leftOut: readonly LeftOutRung[]
}

/** A picture that lacks one line in fifty still goes by the name: 1072 lines are 1080 to who recorded them. */
const NAME_TOLERANCE_PERCENT = 2

/**
 * Smallest first. Something is made whatever is asked for, and of two that would come out alike,
 * the one with the smaller name.
 */
export function chooseRungs(source: Size, asked: readonly RungName[]): RungChoice {
  const names = rungNames.filter((name) => asked.includes(name))
  const within = names.filter((name) => isWithin(source, name))
  const chosen = within.length > 0 ? within : names.slice(0, 1)
  if (chosen.length === 0) throw new RangeError('No resolution was asked for.')
  const { made, leftOut } = withoutTwins(chosen.map((name) => sizeRung(source, name)))
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
  if (isNarrowed(source, name)) {
    return `Asked for; made ${width} × ${height}, because no side may be longer than ${SIDE_MAX} pixels.`
  }
  const extent = extentOf(source)
  if (pixelsOf(name) <= shorterSide(source)) return `Asked for, and the source is ${extent}.`
  return isWithin(source, name)
    ? `Asked for; the source is ${extent}, which is close enough, and its size is kept.`
    : `The smallest that was asked for. The source is only ${extent}; nothing is scaled up, so its size is kept.`
}

/** The longest side that is allowed, and not the name, decides the size. */
const isNarrowed = (source: Size, name: RungName) =>
  Math.max(source.width, source.height) * Math.min(pixelsOf(name), shorterSide(source)) >
  SIDE_MAX * shorterSide(source)

/** By the side that names a rung. */
const extentOf = ({ width, height }: Size) => (width < height ? `${width} wide` : `${height} high`)

const tooLarge = (source: Size, name: RungName): LeftOutRung => ({
  name,
  reason: `Larger than the source, which is ${extentOf(source)}; nothing is scaled up.`,
})

/** Only pictures that are very wide, or very tall, come out alike under two names. */
function withoutTwins(sized: readonly SizedRung[]): RungChoice {
  const twinOf = (rung: SizedRung) =>
    sized.find(({ width, height }) => width === rung.width && height === rung.height) ?? rung
  const leftOut = sized.flatMap((rung) => {
    const twin = twinOf(rung)
    return twin === rung ? [] : [{ name: rung.name, reason: sameAs(twin) }]
  })
  return { made: sized.filter((rung) => twinOf(rung) === rung), leftOut }
}

const sameAs = ({ name, width, height }: SizedRung) =>
  `It would be the same as ${name}, ${width} × ${height}, because no side may be longer than ${SIDE_MAX} pixels.`

import type { Part, Plan, TrackName } from '../plan/plan.ts'
import { picturesOf } from './places.ts'

/** How many segments of each track of a part there are. */
export type MadeSegments = Partial<Record<TrackName, number>>

/** Of what ffmpeg is told to write with `-progress`; a line may come in two pieces. */
const LINE_CHARACTERS_MAX = 1000

/**
 * Reads the frames of the first output as they are counted, and tells when a segment more is made.
 * All tracks keep step.
 */
export function progressReader(plan: Plan, part: Part, told: (made: MadeSegments) => void) {
  let rest = ''
  let last = ''
  return (chunk: Buffer) => {
    const lines = (rest + chunk.toString('latin1')).split('\n')
    rest = (lines.pop() ?? '').slice(-LINE_CHARACTERS_MAX)
    const counts = lines.flatMap((line) => /^frame=\s*(\d{1,9})$/.exec(line)?.[1] ?? [])
    const count = counts.at(-1)
    if (count === undefined) return
    const made = segmentsMade(plan, part, Number(count))
    const text = JSON.stringify(made)
    if (text === last) return
    last = text
    told(made)
  }
}

/** When so many frames of the part are made. Of sound alone ffmpeg counts none, and it is made in no time. */
export function segmentsMade(plan: Plan, part: Part, frames: number): MadeSegments {
  const first = Math.min(...part.tracks.map(({ segments }) => picturesOf(plan, segments).start))
  const end = first + frames
  return Object.fromEntries(
    part.tracks.map(({ name, segments }) => {
      const isAll = end >= picturesOf(plan, segments).end
      const whole = Math.floor(end / plan.segmentFrames) - segments.start
      return [name, isAll ? segments.end - segments.start : Math.max(0, whole)]
    }),
  )
}

import type { Part, Plan, TrackName } from '../plan/plan.ts'
import { videoFrames } from './arguments/frame-ranges.ts'

/** Number of finished segments per track of a part. */
export type SegmentCounts = Partial<Record<TrackName, number>>

/** Maximum length of an incomplete line of ffmpeg's `-progress` output. */
const LINE_CHARACTERS_MAX = 1000

/**
 * Parses the frame count of ffmpeg's first output and reports when another segment is finished. All
 * tracks advance together.
 */
export function progressReader(plan: Plan, part: Part, onChange: (made: SegmentCounts) => void) {
  let rest = ''
  let last = ''
  return (chunk: Buffer) => {
    const lines = (rest + chunk.toString('latin1')).split('\n')
    rest = (lines.pop() ?? '').slice(-LINE_CHARACTERS_MAX)
    const counts = lines.flatMap((line) => /^frame=\s*(\d{1,9})$/.exec(line)?.[1] ?? [])
    const count = counts.at(-1)
    if (count === undefined) return
    const made = segmentCounts(plan, part, Number(count))
    const text = JSON.stringify(made)
    if (text === last) return
    last = text
    onChange(made)
  }
}

/**
 * Returns the finished segments after this many encoded frames of the part. For a part with only audio, ffmpeg
 * counts no frames; audio is encoded very quickly.
 */
export function segmentCounts(plan: Plan, part: Part, frames: number): SegmentCounts {
  const first = Math.min(...part.tracks.map(({ segments }) => videoFrames(plan, segments).start))
  const end = first + frames
  return Object.fromEntries(
    part.tracks.map(({ name, segments }) => {
      const isAll = end >= videoFrames(plan, segments).end
      const whole = Math.floor(end / plan.segmentFrames) - segments.start
      return [name, isAll ? segments.end - segments.start : Math.max(0, whole)]
    }),
  )
}

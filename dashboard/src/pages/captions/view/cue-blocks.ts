/** What the timeline shows of the cues: those in the visible part, joined where they are too narrow. */
import { type Cues, indexAt } from '../cues/cue-list.ts'

export type CueBlock = {
  readonly key: string
  readonly startMs: number
  readonly endMs: number
  /** Empty if several cues are joined. */
  readonly text: string
  readonly isJoined: boolean
}

/** Narrower cues cannot be seen apart. */
const WIDTH_PIXELS_MIN = 6

type Range = { readonly fromMs: number; readonly toMs: number; readonly pixelsPerSecond: number }

export function blocksOf(cues: Cues, { fromMs, toMs, pixelsPerSecond }: Range): readonly CueBlock[] {
  const narrowMs = (WIDTH_PIXELS_MIN / pixelsPerSecond) * 1000
  const blocks: CueBlock[] = []
  // A long cue may have started before the visible part.
  for (let index = Math.max(0, indexAt(cues, fromMs) - 1); index < cues.length; index++) {
    const cue = cues[index]
    if (!cue || cue.startMs > toMs) break
    const last = blocks.at(-1)
    const { key, startMs, endMs, text } = cue
    // Cues that start at almost the same place are joined as well, or a dense part would have a block for each.
    if (last && (startMs - last.startMs < narrowMs || endMs - last.startMs < 2 * narrowMs))
      blocks[blocks.length - 1] = { ...last, endMs: Math.max(last.endMs, endMs), text: '', isJoined: true }
    else blocks.push({ key, startMs, endMs, text, isJoined: false })
  }
  return blocks
}

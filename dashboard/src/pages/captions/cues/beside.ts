/** Texts of a second language beside the cues of the first. */
import { type CueValues, indexAt } from './cue-list.ts'

/** The cues are looked for from this many before the start, because they may overlap. */
const BEFORE = 8

/** The texts of the cues that are shown mostly together with a cue. `others` are ordered by their start. */
export function textBeside(others: readonly CueValues[], { startMs, endMs }: CueValues): string {
  const texts: string[] = []
  for (let index = Math.max(0, indexAt(others, startMs) - BEFORE); index < others.length; index++) {
    const other = others[index]
    if (!other || other.startMs >= endMs) break
    const middle = (other.startMs + other.endMs) / 2
    const own = (startMs + endMs) / 2
    const isTogether = (middle >= startMs && middle < endMs) || (own >= other.startMs && own < other.endMs)
    if (isTogether) texts.push(other.speaker === '' ? other.text : `${other.speaker}: ${other.text}`)
  }
  return texts.join('\n')
}

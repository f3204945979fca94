/**
 * Highlights: the positions of matching words in the text of a moment. Postgres marks the words in the folded text
 * (`fold_words`), in which every character corresponds to one of the text, and these rules find the same characters
 * there.
 */
import type { CueInText } from '@reelkeep/media'

/** Marks in folded texts. They are punctuation, so a folded text does not contain them. */
export const MARK_START = '{'
export const MARK_END = '}'

export type Highlight = { readonly start: number; readonly end: number }

/** Characters without a counterpart in the folded text. */
const removed = /[\u0300-\u036f]/
/** Characters after which the folded text has a space. */
const spaced = /[\u2e80-\u2fdf\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]/

/** The marked parts of a text, in UTF-16 units. Empty if the texts do not correspond. */
export function highlightsOf(text: string, marked: string): Highlight[] {
  const found: Highlight[] = []
  const characters = [...marked]
  let at = 0
  let position = 0
  let start: number | undefined
  const readMarks = () => {
    for (; characters[at] === MARK_START || characters[at] === MARK_END; at++) {
      if (characters[at] === MARK_START) start = position
      else if (start !== undefined) found.push({ start, end: position })
    }
  }
  for (const character of text) {
    readMarks()
    if (!removed.test(character)) {
      at++
      // The end of a word is before the space.
      if (spaced.test(character)) {
        position += character.length
        readMarks()
        at++
        continue
      }
    }
    position += character.length
  }
  readMarks()
  return at === characters.length ? found : []
}

/** Start of the caption with most of the words; undefined if no words are highlighted, or the text has no captions. */
export function startOfWords(cues: readonly CueInText[], highlights: readonly Highlight[]): number | undefined {
  let best: { readonly startMs: number; readonly length: number } | undefined
  for (const [index, { offset, startMs }] of cues.entries()) {
    const end = cues[index + 1]?.offset ?? Number.POSITIVE_INFINITY
    const length = highlights
      .filter(({ start }) => start >= offset && start < end)
      .reduce((sum, highlight) => sum + highlight.end - highlight.start, 0)
    if (length > (best?.length ?? 0)) best = { startMs, length }
  }
  return best?.startMs
}

/** Joins highlights that overlap or touch, in order. */
export function joined(highlights: readonly Highlight[]): Highlight[] {
  const result: Highlight[] = []
  for (const { start, end } of [...highlights].sort((a, b) => a.start - b.start)) {
    const last = result.at(-1)
    if (last && start <= last.end) result[result.length - 1] = { start: last.start, end: Math.max(last.end, end) }
    else result.push({ start, end })
  }
  return result
}

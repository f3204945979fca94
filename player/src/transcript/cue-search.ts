/** Search in the cues of a transcript. */

export type Cue = { readonly start: number; readonly end: number; readonly text: string }

/** The positions of a word in the text of a cue, in UTF-16 units. */
export type Match = readonly [start: number, end: number]

/** A text as it is compared, and for each of its units the unit of the original text. */
type Folded = { readonly text: string; readonly positions: readonly number[] }

/** Lower case, without accents. */
function fold(text: string): Folded {
  let folded = ''
  const positions: number[] = []
  let at = 0
  for (const character of text) {
    const plain = character.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
    for (let unit = 0; unit < plain.length; unit++) positions.push(at)
    folded += plain
    at += character.length
  }
  positions.push(at)
  return { text: folded, positions }
}

const wordsOf = (text: string) => fold(text).text.match(/[\p{L}\p{N}]+/gu) ?? []

/**
 * Cues that contain all words, ignoring case and accents. A word also matches the beginning of a longer word, with the
 * positions of the words. Two cues in a row can match together, because a sentence may be divided between them. The
 * result has the index of each cue.
 */
export function findCues(cues: readonly Cue[], query: string): ReadonlyMap<number, readonly Match[]> {
  const words = wordsOf(query)
  const found = new Map<number, readonly Match[]>()
  if (words.length === 0) return found
  const perCue = cues.map(({ text }) => {
    const folded = fold(text)
    return words.map((word) => matchesOf(folded, word))
  })
  const hasWord = (index: number, word: number) => (perCue[index]?.[word]?.length ?? 0) > 0
  const hasAll = (...indexes: readonly number[]) =>
    words.every((_, word) => indexes.some((index) => hasWord(index, word)))
  for (const [index, matches] of perCue.entries()) {
    const isDivided = [index - 1, index + 1].some((other) => !hasAll(other) && hasAll(index, other))
    const all = matches.flat()
    if (all.length > 0 && (hasAll(index) || isDivided)) found.set(index, inOrder(all))
  }
  return found
}

const isLetter = (text: string) => /[\p{L}\p{N}]/u.test(text)
/** Chinese and Japanese do not separate words. */
const isUnseparated = (text: string) => /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text)

/** The occurrences of a word, also as the beginning of a longer one. */
function matchesOf({ text, positions }: Folded, word: string): Match[] {
  const matches: Match[] = []
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    const before = text.slice(0, at).match(/.$/u)?.[0] ?? ''
    if (!isLetter(before) || isUnseparated(before)) {
      matches.push([positions[at] ?? 0, positions[at + word.length] ?? 0])
    }
  }
  return matches
}

/** Without those that overlap an earlier one. */
function inOrder(matches: readonly Match[]): Match[] {
  const kept: Match[] = []
  for (const match of matches.toSorted((one, other) => one[0] - other[0] || other[1] - one[1])) {
    if (match[0] >= (kept.at(-1)?.[1] ?? 0)) kept.push(match)
  }
  return kept
}

/** The index of the last cue that has started; -1 before the first. The cues are in order of their start. */
export const cueAt = (cues: readonly Cue[], seconds: number): number =>
  cues.findLastIndex(({ start }) => start <= seconds)

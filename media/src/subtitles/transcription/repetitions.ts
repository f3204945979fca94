/** Removes repetitions: transcription models sometimes loop and repeat the same words up to their output limit. */

/** Maximum number of words in a repeated group. */
const WORDS_MAX = 8
/** Maximum number of repetitions that are kept as natural: "no, no, no". */
const TIMES_MAX = 3

/** Reduces words that are repeated more often than `TIMES_MAX` to one occurrence. */
export function withoutRepetitions(text: string): string {
  let words = text.split(/\s+/).filter(Boolean)
  for (let length = 1; length <= WORDS_MAX; length++) words = collapsed(words, length)
  return words.join(' ')
}

function collapsed(words: readonly string[], length: number): string[] {
  const kept: string[] = []
  for (let at = 0; at < words.length; ) {
    const times = timesRepeated(words, at, length)
    const taken = times > TIMES_MAX ? length : 1
    kept.push(...words.slice(at, at + taken))
    at += times > TIMES_MAX ? times * length : 1
  }
  return kept
}

function timesRepeated(words: readonly string[], at: number, length: number): number {
  let times = 1
  while (isSame(words, at, at + times * length, length)) times++
  return times
}

const isSame = (words: readonly string[], one: number, other: number, length: number) =>
  other + length <= words.length &&
  words.slice(one, one + length).every((word, index) => normalized(word) === normalized(words[other + index] ?? ''))

/** Normalizes a word, ignoring case and punctuation. */
const normalized = (word: string) => word.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')

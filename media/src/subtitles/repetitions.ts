/** Recognisers that lose their way say the same again and again, to the end of what they may say. */

/** Of words that are repeated as a whole. */
const WORDS_MAX = 8
/** As often as somebody may say it: "no, no, no". */
const TIMES_MAX = 3

/** The same text, with what is repeated more often than anybody would say it said once. */
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
  words
    .slice(one, one + length)
    .every((word, index) => bare(word) === bare(words[other + index] ?? ''))

/** A comma more or less does not make it another word. */
const bare = (word: string) => word.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')

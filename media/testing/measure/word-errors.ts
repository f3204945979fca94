/** Counts wrong words of a transcript. */

const wordsOf = (text: string) =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}' ]/gu, ' ')
    .split(/\s+/)
    .filter(Boolean)

/** Levenshtein distance in words between the spoken and the transcribed text. */
export function countWordErrors(spoken: string, transcribed: string): { words: number; errors: number } {
  const words = wordsOf(spoken)
  let row = Array.from({ length: words.length + 1 }, (_, index) => index)
  for (const [index, word] of wordsOf(transcribed).entries()) {
    const next = [index + 1]
    for (const [at, expected] of words.entries()) {
      const changed = (row[at] ?? 0) + (word === expected ? 0 : 1)
      next.push(Math.min(changed, (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1))
    }
    row = next
  }
  return { words: words.length, errors: row[words.length] ?? 0 }
}

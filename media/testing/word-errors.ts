/** How many words a recogniser got right. */

const wordsOf = (text: string) =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}' ]/gu, ' ')
    .split(/\s+/)
    .filter(Boolean)

/** The fewest words that must be changed, added or left out to make of what was heard what was said. */
export function countWordErrors(said: string, heard: string): { words: number; errors: number } {
  const words = wordsOf(said)
  let row = Array.from({ length: words.length + 1 }, (_, index) => index)
  for (const [index, word] of wordsOf(heard).entries()) {
    const next = [index + 1]
    for (const [at, wanted] of words.entries()) {
      const changed = (row[at] ?? 0) + (word === wanted ? 0 : 1)
      next.push(Math.min(changed, (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1))
    }
    row = next
  }
  return { words: words.length, errors: row[words.length] ?? 0 }
}

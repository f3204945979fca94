/** Finds the best position to break a text, for lines of a cue and for cues of a phrase. Pure. */

/** Ends of sentences and clauses. In Chinese and Japanese, no space follows the punctuation. */
const sentenceEnd = /[.!?…]["'”’)]*\s$|[。！？]$/u
const clauseEnd = /[,;:–—]["'”’)]*\s$|[、，；：]$/u

/** How much farther from the middle a break after a sentence or a clause may be, as a share of the text. */
const SENTENCE_BONUS = 0.3
const CLAUSE_BONUS = 0.15

/** Splits a text at the best break near its middle that `isWanted` accepts. Undefined if there is none. */
export function breakInTwo(
  text: string,
  runMax: number,
  isWanted: (first: string, second: string) => boolean = () => true,
): readonly [string, string] | undefined {
  const best = breakPoints(text, runMax)
    .map((at) => ({ at, cost: costOf(text, at) }))
    .sort((one, other) => one.cost - other.cost)
    .map(({ at }) => [text.slice(0, at).trim(), text.slice(at).trim()] as const)
    .find(([first, second]) => first !== '' && second !== '' && isWanted(first, second))
  return best
}

function costOf(text: string, at: number): number {
  const before = text.slice(Math.max(0, at - 4), at)
  const bonus = sentenceEnd.test(before) ? SENTENCE_BONUS : clauseEnd.test(before) ? CLAUSE_BONUS : 0
  return Math.abs(at / text.length - 0.5) - bonus
}

/** Positions where a text can break: after spaces and CJK punctuation, or after `runMax` characters without either. */
function breakPoints(text: string, runMax: number): number[] {
  const points: number[] = []
  let runLength = 0
  let at = 0
  for (const character of text) {
    at += character.length
    runLength++
    if (!/[\s、，；：。！？]/u.test(character) && runLength < runMax) continue
    points.push(at)
    runLength = 0
  }
  return points.filter((point) => point < text.length)
}

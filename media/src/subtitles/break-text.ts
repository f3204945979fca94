/** Where a text may be broken, and where best: pure, and the same for lines of a cue and for cues of a phrase. */

/**
 * Where somebody would pause: after a sentence, after a part of one, and between words. The last
 * two have no blank behind them in Chinese and Japanese.
 */
const sentenceEnd = /[.!?…]["'”’)]*\s$|[。！？]$/u
const clauseEnd = /[,;:–—]["'”’)]*\s$|[、，；：]$/u

/** How much farther from the wanted place such a break may be, in shares of the text. */
const SENTENCE_BONUS = 0.3
const CLAUSE_BONUS = 0.15

/**
 * The two parts of a text at the best break near its middle, among those that are wanted. Undefined
 * if there is none.
 */
export function breakInTwo(
  text: string,
  stretchMax: number,
  isWanted: (first: string, second: string) => boolean = () => true,
): readonly [string, string] | undefined {
  const best = breakPoints(text, stretchMax)
    .map((at) => ({ at, cost: costOf(text, at) }))
    .sort((one, other) => one.cost - other.cost)
    .map(({ at }) => [text.slice(0, at).trim(), text.slice(at).trim()] as const)
    .find(([first, second]) => first !== '' && second !== '' && isWanted(first, second))
  return best
}

function costOf(text: string, at: number): number {
  const before = text.slice(Math.max(0, at - 4), at)
  const bonus = sentenceEnd.test(before)
    ? SENTENCE_BONUS
    : clauseEnd.test(before)
      ? CLAUSE_BONUS
      : 0
  return Math.abs(at / text.length - 0.5) - bonus
}

/** After blanks and after punctuation that has none; in a stretch without either, wherever it gets too long. */
function breakPoints(text: string, stretchMax: number): number[] {
  const points: number[] = []
  let since = 0
  let at = 0
  for (const character of text) {
    at += character.length
    since++
    if (!/[\s、，；：。！？]/u.test(character) && since < stretchMax) continue
    points.push(at)
    since = 0
  }
  return points.filter((point) => point < text.length)
}

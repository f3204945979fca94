import { refused } from './errors.ts'

/** Enough for any name a person gives; short enough to sort, index and show. */
const TITLE_LENGTH_MAX = 255

/** In UTF-16 units: no form of Unicode takes more than six for a character that another one writes as one. */
const UNCOMPOSED_LENGTH_MAX = 6 * TITLE_LENGTH_MAX

const controlCharacters = /\p{Cc}/u

/** The title without the blanks around it, in the composed form of Unicode. */
export function cleanTitle(raw: string, field: string): string {
  const fault = titleFault(raw)
  if (fault !== undefined) throw refused('invalid_title', `${field} ${fault}`, field)
  return trimmed(raw)
}

/** What is wrong with it, said of the field. Characters are counted by code points. */
export function titleFault(raw: string): string | undefined {
  const title = trimmed(raw)
  const length = [...title].length
  if (length < 1) return 'must not be blank.'
  if (length > TITLE_LENGTH_MAX)
    return `has ${length} characters; at most ${TITLE_LENGTH_MAX} are kept.`
  if (controlCharacters.test(title) || !title.isWellFormed())
    return 'must not hold control characters or half a character.'
  return undefined
}

/** The title nearest to a text that nobody has checked; empty if nothing is left of it. */
export function nearestTitle(raw: string): string {
  const plain = raw
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, UNCOMPOSED_LENGTH_MAX)
    .toWellFormed()
  return [...trimmed(plain)].slice(0, TITLE_LENGTH_MAX).join('').trim()
}

/**
 * Composing takes a time that grows with the square of a run of accents, which are put in order:
 * minutes for a body full of them. What is too long in any form stays as it is.
 */
function trimmed(raw: string): string {
  const title = raw.trim()
  return title.length > UNCOMPOSED_LENGTH_MAX ? title : title.normalize('NFC')
}

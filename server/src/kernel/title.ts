import { refused } from './errors.ts'

/** Enough for any name a person gives; short enough to sort, index and show. */
export const TITLE_LENGTH_MAX = 255

const controlCharacters = /\p{Cc}/u

/** The title without the blanks around it, in the composed form of Unicode. Counted by code points. */
export function cleanTitle(raw: string, field: string): string {
  const title = raw.normalize('NFC').trim()
  const length = [...title].length
  if (length < 1) throw refused('invalid_title', `${field} must not be blank.`, field)
  if (length > TITLE_LENGTH_MAX) {
    const detail = `${field} has ${length} characters; at most ${TITLE_LENGTH_MAX} are kept.`
    throw refused('invalid_title', detail, field)
  }
  if (controlCharacters.test(title) || !title.isWellFormed()) {
    throw refused('invalid_title', `${field} must not hold control characters.`, field)
  }
  return title
}

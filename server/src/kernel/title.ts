import { refused } from './errors.ts'

const TITLE_LENGTH_MAX = 255

/** Maximum length before composing, in UTF-16 code units: a composed character decomposes into at most six of them. */
const UNCOMPOSED_LENGTH_MAX = 6 * TITLE_LENGTH_MAX

/** Characters that change the order in which other characters are shown: "gpj.exe" can look like "exe.jpg". */
const directionControls = /[\u202a-\u202e\u2066-\u2069]/gu
const forbiddenCharacters = new RegExp(`\\p{Cc}|${directionControls.source}`, 'u')

/** The flag of a region such as Scotland: a black flag, then letters as invisible tags. */
const flagOfRegion = /\u{1f3f4}[\u{e0030}-\u{e007a}]{1,6}\u{e007f}/u
/**
 * Formatting characters (Cf) that are kept: visible signs (Prepended_Concatenation_Mark) and the two joiners, which
 * emoji and several scripts need.
 */
const keptCharacters = /[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}\u200c\u200d]/u
/** Matches invisible characters, which are removed, and flags as the first group. Direction controls are refused. */
const invisibleCharacters = new RegExp(
  `(${flagOfRegion.source})|(?!${keptCharacters.source}|${directionControls.source})\\p{Cf}`,
  'gu',
)

/** Returns the title trimmed, in NFC and without invisible characters. Throws `invalid_title` if it breaks a rule. */
export function cleanTitle(raw: string, field: string): string {
  const violation = titleViolation(raw)
  if (violation !== undefined) {
    throw refused('invalid_title', `\`${field}\` ${violation}`, field)
  }
  return normalize(raw)
}

/**
 * Returns the violated rule, worded as the predicate of a sentence; undefined if the title is valid. Counts code
 * points.
 */
export function titleViolation(raw: string): string | undefined {
  const title = normalize(raw)
  const length = lengthOf(title)
  if (length < 1) return 'must not be blank.'
  if (length > TITLE_LENGTH_MAX) return `must be at most ${TITLE_LENGTH_MAX} characters (got ${length}).`
  if (forbiddenCharacters.test(title) || !title.isWellFormed())
    return 'must not contain control characters, characters that change the direction of text, or invalid Unicode.'
  return undefined
}

/** Counts code points, without a list of them: an invalid text may have megabytes. */
export function lengthOf(text: string): number {
  let length = text.length
  for (let at = 1; at < text.length; at++) {
    if (isSurrogate(text, at, 0xdc00) && isSurrogate(text, at - 1, 0xd800)) length--
  }
  return length
}

const isSurrogate = (text: string, at: number, kind: 0xd800 | 0xdc00) => (text.charCodeAt(at) & 0xfc00) === kind

/** Turns arbitrary text into a valid title by removing what is not allowed; may be empty. */
export function toValidTitle(raw: string): string {
  const plain = raw
    .replace(/\p{Cc}+/gu, ' ')
    .replace(directionControls, '')
    .trim()
    .slice(0, UNCOMPOSED_LENGTH_MAX)
    .toWellFormed()
  return normalize([...normalize(plain)].slice(0, TITLE_LENGTH_MAX).join(''))
}

/**
 * Removes invisible characters, trims, then composes (NFC). Text that exceeds the length limit in any form is not
 * composed: the time for composing is quadratic in the length of a run of combining marks, up to minutes for a large
 * body.
 */
function normalize(raw: string): string {
  const title = raw.replace(invisibleCharacters, '$1').trim()
  return title.length > UNCOMPOSED_LENGTH_MAX ? title : title.normalize('NFC')
}

import { refused } from './errors.ts'

const TITLE_LENGTH_MAX = 255

/** Maximum length before composing, in UTF-16 code units: a composed character decomposes into at most six of them. */
const UNCOMPOSED_LENGTH_MAX = 6 * TITLE_LENGTH_MAX

/**
 * Formatting characters (Cf) are invisible, and some change the order in which other characters are shown: "gpj.exe"
 * can look like "exe.jpg". The two joiners (U+200C and U+200D) are needed by emoji and by several scripts.
 */
const formattingCharacters = /[^\P{Cf}\u200c\u200d]/gu
const forbiddenCharacters = new RegExp(`\\p{Cc}|${formattingCharacters.source}`, 'u')

/** Returns the trimmed title in NFC. Throws `invalid_title` if it breaks the rules for titles. */
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
    return 'must not contain control characters, invisible formatting characters or invalid Unicode.'
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
    .replace(formattingCharacters, '')
    .trim()
    .slice(0, UNCOMPOSED_LENGTH_MAX)
    .toWellFormed()
  return [...normalize(plain)].slice(0, TITLE_LENGTH_MAX).join('').trim()
}

/**
 * Trims, then composes (NFC). Text that exceeds the length limit in any form is not composed: the time for composing is
 * quadratic in the length of a run of combining marks, up to minutes for a large body.
 */
function normalize(raw: string): string {
  const title = raw.trim()
  return title.length > UNCOMPOSED_LENGTH_MAX ? title : title.normalize('NFC')
}

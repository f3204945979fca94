/** Maximum title length that the service accepts. */
const TITLE_CHARACTERS_MAX = 255

/** The flag of a region such as Scotland: a black flag, then letters as invisible tags. */
const flagOfRegion = /\u{1f3f4}[\u{e0030}-\u{e007a}]{1,6}\u{e007f}/u
/**
 * Formatting characters (Cf) that are kept: visible signs (Prepended_Concatenation_Mark) and the two joiners, which
 * emoji and several scripts need.
 */
const keptCharacters = /[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}\u200c\u200d]/u
/** Matches invisible characters, which are removed as the service does, and flags as the first group. */
const invisibleCharacters = new RegExp(`(${flagOfRegion.source})|(?!${keptCharacters.source})\\p{Cf}`, 'gu')

/** Title for a file name, without its extension. */
export const titleOfFile = (name: string): string => titleOf(name.replace(/(?<=.)\.[^.]*$/s, ''))

/** Closest valid title for a file or folder name. The service normalizes and trims titles the same way. */
export function titleOf(name: string): string {
  const plain = name
    // Replaces unpaired surrogates.
    .replace(/\p{Cs}/gu, '\ufffd')
    .replace(/\p{Cc}+/gu, ' ')
    .replace(invisibleCharacters, '$1')
    .normalize('NFC')
    .trim()
  return [...plain].slice(0, TITLE_CHARACTERS_MAX).join('').trim() || 'Untitled'
}

/** As long as the service takes titles. */
const TITLE_CHARACTERS_MAX = 255

/** The title of a file of this name: without the ending. */
export const titleOfFile = (name: string): string => titleOf(name.replace(/(?<=.)\.[^.]*$/s, ''))

/**
 * The title nearest to a name on a disk, which may hold what a title may not. The service composes
 * and trims it the same way.
 */
export function titleOf(name: string): string {
  const plain = name
    // Halves of a character.
    .replace(/\p{Cs}/gu, '\ufffd')
    .replace(/\p{Cc}+/gu, ' ')
    .normalize('NFC')
    .trim()
  return [...plain].slice(0, TITLE_CHARACTERS_MAX).join('').trim() || 'Untitled'
}

/** Maximum title length that the service accepts. */
const TITLE_CHARACTERS_MAX = 255

/** Title for a file name, without its extension. */
export const titleOfFile = (name: string): string => titleOf(name.replace(/(?<=.)\.[^.]*$/s, ''))

/** Closest valid title for a file or folder name. The service normalizes and trims titles the same way. */
export function titleOf(name: string): string {
  const plain = name
    // Replaces unpaired surrogates.
    .replace(/\p{Cs}/gu, '\ufffd')
    .replace(/\p{Cc}+/gu, ' ')
    // Removes formatting characters other than joiners.
    .replace(/[^\P{Cf}\u200c\u200d]/gu, '')
    .normalize('NFC')
    .trim()
  return [...plain].slice(0, TITLE_CHARACTERS_MAX).join('').trim() || 'Untitled'
}

import { basename, extname } from 'node:path'

/** As the service has it. */
const TITLE_LENGTH_MAX = 255

/** The file's name without its ending. */
export const titleOfFile = (path: string): string => titleOf(basename(path, extname(path)))

/** The title nearest to a name on a disk, which may hold what a title may not. The service composes and trims it the same way. */
export function titleOf(name: string): string {
  const plain = name
    .toWellFormed()
    .replace(/\p{Cc}+/gu, ' ')
    .normalize('NFC')
    .trim()
  return [...plain].slice(0, TITLE_LENGTH_MAX).join('').trim() || 'Untitled'
}

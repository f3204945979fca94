import { extname } from 'node:path'
import type { ChapterFormat } from '../../arguments/values.ts'

const endings: Record<string, ChapterFormat> = {
  '.vtt': 'webvtt',
  '.json': 'podcasting',
  '.ffmeta': 'ffmetadata',
  '.ffmetadata': 'ffmetadata',
  '.txt': 'lines',
}

/** By how a text begins, or else by how its file's name ends; undefined if neither tells. */
export function guessedFormat(file: string, text: string): ChapterFormat | undefined {
  const beginning = text.trimStart()
  if (beginning.startsWith('WEBVTT')) return 'webvtt'
  if (beginning.startsWith(';FFMETADATA')) return 'ffmetadata'
  if (beginning.startsWith('{')) return 'podcasting'
  return endings[extname(file).toLowerCase()] ?? (linesIn(text).length > 0 ? 'lines' : undefined)
}

export type WrittenChapter = {
  readonly start: string
  readonly title: string
}

const bullet = String.raw`(?:[-*•–—]\s+)?(?:\d{1,3}[.)]\s+)?`
const time = String.raw`[([]?((?:\d{1,2}:)?\d{1,3}:\d{2})(?:[.,]\d{1,3})?[)\]]?`
const chapterLine = new RegExp(
  String.raw`^\s*${bullet}${time}(?:\s*[-–—:|]\s+|\s+)(\S.*?)\s*$`,
  'u',
)

/** The lines of a description that begin with a time. All others are not about chapters. */
export function linesIn(text: string): WrittenChapter[] {
  return text.split(lineEnd).flatMap((line) => {
    const [, start, title] = chapterLine.exec(line) ?? []
    return start && title ? [{ start, title }] : []
  })
}

const lineEnd = /\r\n|\n|\r/

/**
 * The text with all other lines empty: the service reads it again, and names lines by the numbers
 * that they have for whoever wrote them.
 */
export const chapterLinesAlone = (text: string): string =>
  text
    .split(lineEnd)
    .map((line) => (chapterLine.test(line) ? line : ''))
    .join('\n')

import { extname } from 'node:path'
import type { ChapterFormat } from '../../arguments/values.ts'

const formatsByExtension: Record<string, ChapterFormat> = {
  '.vtt': 'webvtt',
  '.json': 'podcasting',
  '.ffmeta': 'ffmetadata',
  '.ffmetadata': 'ffmetadata',
  '.txt': 'lines',
}

/** Detects the format from the beginning of the text, or from the file extension; undefined if unknown. */
export function detectFormat(file: string, text: string): ChapterFormat | undefined {
  const beginning = text.trimStart()
  if (beginning.startsWith('WEBVTT')) return 'webvtt'
  if (beginning.startsWith(';FFMETADATA')) return 'ffmetadata'
  if (beginning.startsWith('{')) return 'podcasting'
  return formatsByExtension[extname(file).toLowerCase()] ?? (parseChapterLines(text).length > 0 ? 'lines' : undefined)
}

export type ParsedChapter = {
  readonly start: string
  readonly title: string
}

const bullet = String.raw`(?:[-*•–—]\s+)?(?:\d{1,3}[.)]\s+)?`
const time = String.raw`[([]?((?:\d{1,2}:)?\d{1,3}:\d{2})(?:[.,]\d{1,3})?[)\]]?`
const chapterLine = new RegExp(String.raw`^\s*${bullet}${time}(?:\s*[-–—:|]\s+|\s+)(\S.*?)\s*$`, 'u')

/** Parses lines that start with a time; other lines are ignored. */
export function parseChapterLines(text: string): ParsedChapter[] {
  return text.split(lineEnd).flatMap((line) => {
    const [, start, title] = chapterLine.exec(line) ?? []
    return start && title ? [{ start, title }] : []
  })
}

const lineEnd = /\r\n|\n|\r/

/** Empties lines that are not chapters, so that error messages of the service have the original line numbers. */
export const onlyChapterLines = (text: string): string =>
  text
    .split(lineEnd)
    .map((line) => (chapterLine.test(line) ? line : ''))
    .join('\n')

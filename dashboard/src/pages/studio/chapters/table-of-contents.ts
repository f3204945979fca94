/**
 * Reads a table of contents: lines that start with a time, as in the description of a video. Accepts what the API's
 * format `lines` accepts: a bullet or number before the time, brackets around it, and a dash, colon or bar after it.
 */
import { CHAPTERS_MAX, type ChapterValues, cleanTitle } from './chapter-edits.ts'

export type LineProblem = 'no-time' | 'no-title' | 'after-end' | 'taken' | 'too-many'

export type ReadLine = {
  /** Counted from 1. */
  readonly line: number
  readonly text: string
} & (
  | { readonly chapter: ChapterValues; readonly problem?: undefined }
  | { readonly problem: LineProblem; readonly chapter?: undefined }
)

const bullet = String.raw`(?:[-*•–—]\s+)?(?:\d{1,3}[.)]\s+)?`
const time = String.raw`(?:(?<hours>\d{1,2}):(?<minutes>[0-5]\d)|(?<onlyMinutes>\d{1,3})):(?<seconds>[0-5]\d)(?:[.,](?<fraction>\d{1,3}))?`
const lineForm = new RegExp(
  String.raw`^${bullet}(?<open>[([])?${time}(?<close>[)\]])?(?:\s*[-–—:|]\s+|\s+|$)(?<title>.*)$`,
  'su',
)

type Parts = Readonly<Record<string, string | undefined>>

function msOf({ hours, minutes, onlyMinutes, seconds, fraction }: Parts): number {
  const whole = (Number(hours ?? 0) * 60 + Number(minutes ?? onlyMinutes)) * 60 + Number(seconds)
  return whole * 1000 + Number((fraction ?? '').padEnd(3, '0'))
}

function readLine(text: string): ChapterValues | 'no-time' | 'no-title' {
  const parts = lineForm.exec(text)?.groups
  if (!parts || !parts['open'] !== !parts['close']) return 'no-time'
  const title = cleanTitle(parts['title'] ?? '')
  return title === '' ? 'no-title' : { title, startMs: msOf(parts) }
}

/** Reads all lines that are not blank. A chapter must start before `durationMs`, and no two at the same time. */
export function readTableOfContents(text: string, durationMs: number): readonly ReadLine[] {
  const starts = new Set<number>()
  return text.split(/\r\n|\r|\n/).flatMap((raw, index): readonly ReadLine[] => {
    const content = raw.trim()
    if (content === '') return []
    const line = { line: index + 1, text: content }
    const read = readLine(content)
    if (typeof read === 'string') return [{ ...line, problem: read }]
    if (read.startMs >= durationMs) return [{ ...line, problem: 'after-end' }]
    if (starts.has(read.startMs)) return [{ ...line, problem: 'taken' }]
    if (starts.size >= CHAPTERS_MAX) return [{ ...line, problem: 'too-many' }]
    starts.add(read.startMs)
    return [{ ...line, chapter: read }]
  })
}

/** Whether a pasted text is a table of contents and not, for example, a title. */
export function isTableOfContents(text: string): boolean {
  const lines = text.split(/\r\n|\r|\n/).filter((line) => line.trim() !== '')
  return lines.length > 1 && lines.filter((line) => typeof readLine(line.trim()) !== 'string').length > 1
}

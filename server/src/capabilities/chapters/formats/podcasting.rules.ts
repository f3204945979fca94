/** JSON chapters of the podcast namespace ("Podcasting 2.0"). Pictures, links and places are left out. */
import { TIMECODE_SECONDS_MAX, toTimecode } from '../timecodes.rules.ts'
import { type Format, type ReadChapter, type TextFault, toReading } from './format.rules.ts'

const VERSION = '1.2.0'

type Entry = { readonly startTime?: unknown; readonly title?: unknown; readonly toc?: unknown }

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

function readEntry(entry: unknown, index: number): (ReadChapter | TextFault)[] {
  const place = `chapters[${index}]`
  if (!isObject(entry)) return [{ place, detail: 'is no object.' }]
  const { startTime, title, toc }: Entry = entry
  // By its specification such a chapter is not to be shown in a table of contents; it only changes the picture.
  if (toc === false) return []
  if (typeof startTime !== 'number' || !Number.isFinite(startTime) || startTime < 0) {
    return [{ place, detail: 'has no startTime: a number of seconds, 0 or more.' }]
  }
  const startSeconds = Math.floor(startTime)
  if (startSeconds > TIMECODE_SECONDS_MAX) {
    return [{ place, detail: `starts after ${toTimecode(TIMECODE_SECONDS_MAX)}, the latest time.` }]
  }
  if (typeof title !== 'string') return [{ place, detail: 'has no title.' }]
  return [{ place, title, startSeconds }]
}

function parse(text: string): { readonly value: unknown } | TextFault {
  try {
    return { value: JSON.parse(text) }
  } catch (error) {
    const [, line = '1'] = /\(line (\d+) /.exec(String(error)) ?? []
    return { place: `line ${line}`, detail: 'is where the text stops being JSON.' }
  }
}

function read(text: string) {
  const parsed = parse(text)
  if ('place' in parsed) return toReading([parsed])
  const { value } = parsed
  const entries = isObject(value) && 'chapters' in value ? value.chapters : undefined
  if (!Array.isArray(entries)) {
    return toReading([{ place: 'line 1', detail: 'begins no object with a list named chapters.' }])
  }
  return toReading(entries.flatMap(readEntry))
}

export const podcasting: Format = {
  read,
  write: (chapters) => {
    const entries = chapters.map(({ startSeconds, title }) => ({ startTime: startSeconds, title }))
    return `${JSON.stringify({ version: VERSION, chapters: entries }, null, 2)}\n`
  },
}

/** JSON chapters of the podcast namespace ("Podcasting 2.0"). Images, links and locations are ignored. */
import { START_SECONDS_MAX, toTimecode, wholeMilliseconds } from '../timecodes.rules.ts'
import type { Format, Part, TextError } from './format.rules.ts'

const VERSION = '1.2.0'

type Entry = { readonly startTime?: unknown; readonly title?: unknown; readonly toc?: unknown }

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

function readEntry(entry: unknown, index: number): Part[] {
  const position = `chapters[${index}]`
  if (!isObject(entry)) return [{ position, detail: 'must be an object.' }]
  const { startTime, title, toc }: Entry = entry
  // By the specification, a chapter with `toc: false` only changes the image and is not in the table of contents.
  if (toc === false) return []
  if (typeof startTime !== 'number' || !Number.isFinite(startTime) || startTime < 0) {
    return [{ position, detail: 'must have a startTime: a number of seconds, 0 or more.' }]
  }
  const startSeconds = wholeMilliseconds(startTime)
  if (startSeconds > START_SECONDS_MAX) {
    return [{ position, detail: `must start at ${toTimecode(START_SECONDS_MAX)} or earlier.` }]
  }
  if (typeof title !== 'string') return [{ position, detail: 'must have a title.' }]
  return [{ position, title, startSeconds }]
}

function parse(text: string): { readonly value: unknown } | TextError {
  try {
    return { value: JSON.parse(text) }
  } catch (error) {
    const [, line = '1'] = /\(line (\d+) /.exec(String(error)) ?? []
    return { position: `line ${line}`, detail: 'invalid JSON.' }
  }
}

function* read(text: string): Generator<Part> {
  const parsed = parse(text)
  if ('position' in parsed) return yield parsed
  const { value } = parsed
  const entries: unknown = isObject(value) && 'chapters' in value ? value.chapters : undefined
  if (!Array.isArray(entries)) {
    return yield { position: 'line 1', detail: 'must be an object with a list named chapters.' }
  }
  for (const [index, entry] of entries.entries()) yield* readEntry(entry, index)
}

export const podcasting: Format = {
  read,
  write: (chapters) => {
    const entries = chapters.map(({ startSeconds, title }) => ({ startTime: startSeconds, title }))
    return `${JSON.stringify({ version: VERSION, chapters: entries }, null, 2)}\n`
  },
}

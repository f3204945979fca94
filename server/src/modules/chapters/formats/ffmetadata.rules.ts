/** ffmpeg's metadata format. Only its chapters are read. */
import type { NewChapter } from '../chapters.rules.ts'
import { toMilliseconds } from '../timecodes.rules.ts'
import { type Format, type Line, linesOf, type Part, type TextError } from './format.rules.ts'

const HEADER = ';FFMETADATA1'

/** Default time base: nanoseconds. */
const TIMEBASE = '1/1000000000'

type Section = {
  readonly position: string
  readonly name: string
  readonly values: Map<string, { readonly position: string; readonly text: string }>
}

/** Joins a line that ends with a backslash with the next one. Keeps the line number of the first. */
function* joinedLines(all: Iterable<Line>): Generator<Line> {
  let open: Line | undefined
  for (const line of all) {
    const whole: Line = open ? { position: open.position, text: `${open.text}\n${line.text}` } : line
    open = endsEscaping(line.text) ? whole : undefined
    if (!open) yield whole
  }
  if (open) yield open
}

/** Whether the text ends with a backslash that is not itself escaped. */
function endsEscaping(text: string): boolean {
  let backslashes = 0
  while (text.at(-1 - backslashes) === '\\') backslashes += 1
  return backslashes % 2 === 1
}

/** Splits at the first unescaped equals sign. */
const pairForm = /^(?<key>(?:\\.|[^\\=])*)=(?<value>.*)$/s

const unescaped = (text: string) => text.replace(/\\(.)/gs, '$1').replace(/\n/g, ' ')

const sectionAt = (position: string, name: string): Section => ({ position, name, values: new Map() })

/** Yields each section when it has ended, and lines that are neither a section nor a value. */
function* sectionsOf(all: Iterable<Line>): Generator<Section | TextError> {
  let section = sectionAt('line 1', '')
  for (const { position, text } of joinedLines(all)) {
    if (/^(?:[;#]|\s*$)/.test(text)) continue
    const [, name] = /^\[(\w+)\]\s*$/.exec(text) ?? []
    const pair = pairForm.exec(text)?.groups
    if (name) {
      yield section
      section = sectionAt(position, name)
    } else if (pair) {
      const value = { position, text: unescaped(pair['value'] ?? '') }
      section.values.set(unescaped(pair['key'] ?? ''), value)
    } else yield { position, detail: 'must be a section or key=value.' }
  }
  yield section
}

function readChapter({ position, values }: Section): Part {
  const timebase = values.get('TIMEBASE')
  const [, numerator, denominator = '0'] = /^(\d{1,19})\/(\d{1,19})\s*$/.exec(timebase?.text ?? TIMEBASE) ?? []
  if (numerator === undefined || BigInt(denominator) === 0n) {
    return {
      position: timebase?.position ?? position,
      detail: 'must be a time base such as TIMEBASE=1/1000.',
    }
  }
  const start = values.get('START')
  if (!start || !/^\d{1,19}\s*$/.test(start.text)) {
    return {
      position: start?.position ?? position,
      detail: 'must have a start such as START=90000.',
    }
  }
  const milliseconds = (BigInt(start.text.trim()) * BigInt(numerator) * 1000n) / BigInt(denominator)
  const title = values.get('title')
  return {
    position: title?.position ?? position,
    title: title?.text ?? '',
    startSeconds: Number(milliseconds) / 1000,
  }
}

function* read(text: string): Generator<Part> {
  const lines = linesOf(text)
  const header = lines.next()
  if (header.done || !header.value.text.startsWith(';FFMETADATA')) {
    return yield { position: 'line 1', detail: `must be ${HEADER}.` }
  }
  for (const part of sectionsOf(lines)) {
    if ('detail' in part) yield part
    else if (part.name === 'CHAPTER') yield readChapter(part)
  }
}

const escaped = (title: string) => title.replace(/[=;#\\]/g, '\\$&')

/**
 * A blank line follows each title: ffmpeg treats any backslash at the end of a line, even an escaped
 * one, as a line continuation, and would read the next section as part of the title.
 */
function write(chapters: readonly NewChapter[], durationSeconds: number): string {
  const sections = chapters.map(({ startSeconds, title }, index) => {
    const start = toMilliseconds(startSeconds)
    const end = Math.max(start + 1, toMilliseconds(chapters[index + 1]?.startSeconds ?? durationSeconds))
    return `\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=${start}\nEND=${end}\ntitle=${escaped(title)}\n`
  })
  return `${HEADER}\n${sections.join('')}`
}

export const ffmetadata: Format = { read, write }

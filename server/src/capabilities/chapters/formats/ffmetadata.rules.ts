/** The text by which ffmpeg takes metadata out of files and puts it into them; only its chapters are read. */
import type { NewChapter } from '../chapters.rules.ts'
import {
  type Format,
  type Line,
  linesOf,
  type ReadChapter,
  type TextFault,
  toReading,
} from './format.rules.ts'

const HEADER = ';FFMETADATA1'

/** Nanoseconds, if a chapter does not say. */
const TIMEBASE = '1/1000000000'

type Section = {
  readonly place: string
  readonly name: string
  readonly values: Map<string, { readonly place: string; readonly text: string }>
}

/** A backslash at the end of a line takes the next one in; the place is that of the first. */
function joinedLines(all: readonly Line[]): Line[] {
  const joined: Line[] = []
  let open: Line | undefined
  for (const line of all) {
    const whole: Line = open ? { place: open.place, text: `${open.text}\n${line.text}` } : line
    open = endsEscaping(line.text) ? whole : undefined
    if (!open) joined.push(whole)
  }
  return open ? [...joined, open] : joined
}

/** With a backslash that is not itself escaped. */
function endsEscaping(text: string): boolean {
  let backslashes = 0
  while (text.at(-1 - backslashes) === '\\') backslashes += 1
  return backslashes % 2 === 1
}

/** At the first equals sign that is not escaped. */
const pairForm = /^(?<key>(?:\\.|[^\\=])*)=(?<value>.*)$/s

const unescaped = (text: string) => text.replace(/\\(.)/gs, '$1').replace(/\n/g, ' ')

function sectionsOf(all: readonly Line[]): { sections: Section[]; faults: TextFault[] } {
  const sections: Section[] = [{ place: 'line 1', name: '', values: new Map() }]
  const faults: TextFault[] = []
  for (const { place, text } of joinedLines(all)) {
    if (/^(?:[;#]|\s*$)/.test(text)) continue
    const [, name] = /^\[(\w+)\]\s*$/.exec(text) ?? []
    const pair = pairForm.exec(text)?.groups
    if (name) sections.push({ place, name, values: new Map() })
    else if (pair) {
      const value = { place, text: unescaped(pair['value'] ?? '') }
      sections.at(-1)?.values.set(unescaped(pair['key'] ?? ''), value)
    } else faults.push({ place, detail: 'is neither a section nor key=value.' })
  }
  return { sections, faults }
}

function readChapter({ place, values }: Section): ReadChapter | TextFault {
  const timebase = values.get('TIMEBASE')
  const [, numerator, denominator = '0'] =
    /^(\d{1,19})\/(\d{1,19})\s*$/.exec(timebase?.text ?? TIMEBASE) ?? []
  if (numerator === undefined || BigInt(denominator) === 0n) {
    return { place: timebase?.place ?? place, detail: 'is no time base, such as TIMEBASE=1/1000.' }
  }
  const start = values.get('START')
  if (!start || !/^\d{1,19}\s*$/.test(start.text)) {
    return { place: start?.place ?? place, detail: 'has no start, such as START=90000.' }
  }
  const seconds = (BigInt(start.text.trim()) * BigInt(numerator)) / BigInt(denominator)
  const title = values.get('title')
  return { place: title?.place ?? place, title: title?.text ?? '', startSeconds: Number(seconds) }
}

function read(text: string) {
  const [header, ...rest] = linesOf(text)
  if (!header?.text.startsWith(';FFMETADATA')) {
    const detail = `is not ${HEADER}, with which such a text begins.`
    return toReading([{ place: 'line 1', detail }])
  }
  const { sections, faults } = sectionsOf(rest)
  const chapters = sections.filter(({ name }) => name === 'CHAPTER').map(readChapter)
  return toReading([...faults, ...chapters])
}

const escaped = (title: string) => title.replace(/[=;#\\]/g, '\\$&')

/**
 * A blank line follows each title: ffmpeg takes any backslash at the end of a line, also an escaped
 * one, for a sign that the line goes on, and would swallow the next section.
 */
function write(chapters: readonly NewChapter[], durationSeconds: number): string {
  const sections = chapters.map(({ startSeconds, title }, index) => {
    const end = chapters[index + 1]?.startSeconds ?? Math.ceil(durationSeconds)
    return `\n[CHAPTER]\nTIMEBASE=1/1\nSTART=${startSeconds}\nEND=${end}\ntitle=${escaped(title)}\n`
  })
  return `${HEADER}\n${sections.join('')}`
}

export const ffmetadata: Format = { read, write }

/**
 * WebVTT chapter tracks: cues with a start and a text. Caption parsers skip what they cannot read, but an import must
 * report every such line, so this is a separate parser.
 */
import type { NewChapter } from '../chapters.rules.ts'
import { secondsOf, toMilliseconds, toTimecode } from '../timecodes.rules.ts'
import { type Format, type Line, linesOf, type Part } from './format.rules.ts'

const headerForm = /^WEBVTT(?:[ \t]|$)/
const timingForm = /^\s*(?:(?<hours>\d{1,4}):)?(?<minutes>[0-5]?\d):(?<seconds>[0-5]\d)(?<fraction>[.,]\d{1,3})?\s*-->/
/** Blocks other than cues: comments, styles and regions. */
const nonCueForm = /^(?:NOTE(?:[ \t]|$)|(?:STYLE|REGION)[ \t]*$)/

const isBlank = ({ text }: Line) => text.trim() === ''
const isTiming = ({ text }: Line) => text.includes('-->')

/** Groups lines into blocks, separated by blank lines. Every timing line starts a cue, with or without an id. */
function* blocksOf(all: Iterable<Line>): Generator<Line[]> {
  let block: Line[] = []
  let hasTiming = false
  for (const line of all) {
    if (isBlank(line) || (isTiming(line) && hasTiming)) {
      if (block.length > 0) yield block
      block = []
      hasTiming = false
    }
    if (isBlank(line)) continue
    block.push(line)
    hasTiming ||= isTiming(line)
  }
  if (block.length > 0) yield block
}

function readBlock(block: readonly Line[]): Part[] {
  const [first] = block
  const at = block.findIndex(isTiming)
  const timing = block[at]
  if (!first || (!timing && nonCueForm.test(first.text))) return []
  if (!timing || at > 1) {
    return [{ position: first.position, detail: 'must start a cue or a comment.' }]
  }
  const parts = timingForm.exec(timing.text)?.groups
  if (!parts) {
    return [
      {
        position: timing.position,
        detail: 'must be a timing such as 00:01:30.000 --> 00:02:00.000.',
      },
    ]
  }
  const minutes = Number(parts['hours'] ?? 0) * 60 + Number(parts['minutes'])
  const text = block.slice(at + 1).map(({ text }) => text.trim())
  const startSeconds = secondsOf(minutes, parts['seconds'], parts['fraction'])
  return [{ position: timing.position, startSeconds, title: plainText(text.join(' ')) }]
}

function* read(text: string): Generator<Part> {
  const lines = linesOf(text)
  const header = lines.next()
  if (header.done || !headerForm.test(header.value.text)) {
    return yield { position: 'line 1', detail: 'must be WEBVTT.' }
  }
  for (const block of blocksOf(afterHeader(lines))) yield* readBlock(block)
}

/** Skips the rest of the header, which ends at a blank line or at the first cue. */
function* afterHeader(lines: Iterable<Line>): Generator<Line> {
  let isHeader = true
  for (const line of lines) {
    isHeader &&= !isBlank(line) && !isTiming(line)
    if (!isHeader) yield line
  }
}

const entities: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
  lrm: '\u200e',
  rlm: '\u200f',
}

/** Removes tags and decodes entities. Unknown entities stay unchanged. */
const plainText = (text: string) =>
  text
    .replace(/<\/?[a-z0-9][^<>]*>|<\/>/gi, '')
    .replace(/&(\w{1,6}|#\d{1,6}|#x[\da-f]{1,5});/gi, (entity, name: string) => {
      if (!name.startsWith('#')) return entities[name] ?? entity
      return String.fromCodePoint(Number(name.replace(/^#(x?)/i, (_, x) => (x ? '0x' : ''))))
    })

const escaped = (title: string) => title.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')

const timestamp = (milliseconds: number) =>
  `${toTimecode(milliseconds / 1000)}.${String(milliseconds % 1000).padStart(3, '0')}`

/** Each cue lasts until the next one, and the last until the end of the video. */
function write(chapters: readonly NewChapter[], durationSeconds: number): string {
  const cues = chapters.map(({ startSeconds, title }, index) => {
    const start = toMilliseconds(startSeconds)
    const end = (chapters[index + 1]?.startSeconds ?? durationSeconds) * 1000
    return `\n${timestamp(start)} --> ${timestamp(Math.max(start + 1, Math.round(end)))}\n${escaped(title)}\n`
  })
  return `WEBVTT\n${cues.join('')}`
}

export const webvtt: Format = { read, write }

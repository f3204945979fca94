/**
 * WebVTT, as much of it as a chapters track has: cues with a start and a text. Parsers for captions leave out what they
 * cannot read and lay out what they can; here every line that would be lost has to be named instead, and
 * nothing is shown on a picture. Hence this one.
 */
import type { NewChapter } from '../chapters.rules.ts'
import { toTimecode } from '../timecodes.rules.ts'
import {
  type Format,
  type Line,
  linesOf,
  type ReadChapter,
  type TextFault,
  toReading,
} from './format.rules.ts'

const headerForm = /^WEBVTT(?:[ \t]|$)/
const timingForm =
  /^\s*(?:(?<hours>\d{1,4}):)?(?<minutes>[0-5]?\d):(?<seconds>[0-5]\d)(?:[.,]\d{1,3})?\s*-->/
/** Blocks that are no cues: comments, styles and regions of the picture. */
const asideForm = /^(?:NOTE(?:[ \t]|$)|(?:STYLE|REGION)[ \t]*$)/

const isBlank = ({ text }: Line) => text.trim() === ''
const isTiming = ({ text }: Line) => text.includes('-->')

/** Lines that belong together: blank ones part them, and every timing begins a cue, with its id before it or not. */
function blocksOf(all: readonly Line[]): Line[][] {
  const blocks: Line[][] = []
  let block: Line[] = []
  let hasTiming = false
  for (const line of all) {
    if (isBlank(line) || (isTiming(line) && hasTiming)) {
      blocks.push(block)
      block = []
      hasTiming = false
    }
    if (isBlank(line)) continue
    block.push(line)
    hasTiming ||= isTiming(line)
  }
  return [...blocks, block].filter(({ length }) => length > 0)
}

function readBlock(block: readonly Line[]): (ReadChapter | TextFault)[] {
  const [first] = block
  const at = block.findIndex(isTiming)
  const timing = block[at]
  if (!first || (!timing && asideForm.test(first.text))) return []
  if (!timing || at > 1) {
    return [{ place: first.place, detail: 'begins neither a cue nor a comment.' }]
  }
  const parts = timingForm.exec(timing.text)?.groups
  if (!parts) {
    return [{ place: timing.place, detail: 'is no timing, such as 00:01:30.000 --> 00:02:00.000.' }]
  }
  const minutes = Number(parts['hours'] ?? 0) * 60 + Number(parts['minutes'])
  const text = block.slice(at + 1).map(({ text }) => text.trim())
  const startSeconds = minutes * 60 + Number(parts['seconds'])
  return [{ place: timing.place, startSeconds, title: plainText(text.join(' ')) }]
}

function read(text: string) {
  const [header, ...rest] = linesOf(text)
  if (!header || !headerForm.test(header.text)) {
    return toReading([{ place: 'line 1', detail: 'is not WEBVTT, with which such a text begins.' }])
  }
  const end = rest.findIndex((line) => isBlank(line) || isTiming(line))
  return toReading(blocksOf(end === -1 ? [] : rest.slice(end)).flatMap(readBlock))
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

/** Without tags; an entity that WebVTT does not know stays as it is. */
const plainText = (text: string) =>
  text
    .replace(/<\/?[a-z0-9][^<>]*>|<\/>/gi, '')
    .replace(/&(\w{1,6}|#\d{1,6}|#x[\da-f]{1,5});/gi, (entity, name: string) => {
      if (!name.startsWith('#')) return entities[name] ?? entity
      return String.fromCodePoint(Number(name.replace(/^#(x?)/i, (_, x) => (x ? '0x' : ''))))
    })

const escaped = (title: string) =>
  title.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')

const timestamp = (milliseconds: number) =>
  `${toTimecode(milliseconds / 1000)}.${String(milliseconds % 1000).padStart(3, '0')}`

/** Each lasts until the next begins, and the last one until the end. */
function write(chapters: readonly NewChapter[], durationSeconds: number): string {
  const cues = chapters.map(({ startSeconds, title }, index) => {
    const start = startSeconds * 1000
    const end = (chapters[index + 1]?.startSeconds ?? durationSeconds) * 1000
    return `\n${timestamp(start)} --> ${timestamp(Math.max(start + 1, Math.round(end)))}\n${escaped(title)}\n`
  })
  return `WEBVTT\n${cues.join('')}`
}

export const webvtt: Format = { read, write }

/**
 * Parses uploaded tracks, and detects whether they are WebVTT or SRT. Unlike the parsers of players, which skip
 * invalid parts, it reports every line that would be lost. Comments, styles and regions are dropped, and tags that
 * WebVTT does not have are escaped.
 */

import { textLines } from '../text-lines.ts'
import { rewriteTags } from './cue-tags.ts'
import { readSrtText } from './srt-text.ts'
import type { TrackCue } from './webvtt.ts'

export const TRACK_BYTES_MAX = 2 * 2 ** 20
/** Maximum number of cues. A movie of three hours has about two thousand. */
export const TRACK_CUES_MAX = 20_000
/** Maximum number of lines: ten per cue. */
const TRACK_LINES_MAX = 200_000
/** Maximum number of errors reported. */
const TRACK_ERRORS_MAX = 50

/** An error in one line. Line numbers start at 1. */
export type TrackError = { readonly line: number; readonly detail: string }

export type ReadTrack =
  | { readonly cues: readonly TrackCue[]; readonly errors?: undefined }
  | { readonly errors: readonly [TrackError, ...TrackError[]] }

type Line = { readonly number: number; readonly text: string }
type Format = { readonly timing: RegExp; readonly example: string; readonly isSrt: boolean }

const timingOf = (fraction: string, hours: string) => {
  const time = `${hours}([0-5]\\d):([0-5]\\d)${fraction}(\\d{3})`
  return new RegExp(`^\\s*${time}\\s+-->\\s+${time}(?:\\s+(.*))?$`)
}

const webVtt: Format = {
  timing: timingOf('\\.', '(?:(\\d{2,4}):)?'),
  example: '00:01:30.000 --> 00:01:32.500',
  isSrt: false,
}
const srt: Format = {
  // Many programs write a dot instead of a comma in SRT timings.
  timing: timingOf('[,.]', '(\\d{1,4}):'),
  example: '00:01:30,000 --> 00:01:32,500',
  isSrt: true,
}

export function readTrack(input: string): ReadTrack {
  if (Buffer.byteLength(input) > TRACK_BYTES_MAX) {
    return failure(1, `The track must be at most ${TRACK_BYTES_MAX / 2 ** 20} MiB.`)
  }
  const text = input.replace(/^\ufeff/, '')
  const format = formatOf(text)
  if (!format) {
    return failure(1, 'The file must start with WEBVTT or, for SRT, with the number of the first cue.')
  }
  const cues: TrackCue[] = []
  const errors: TrackError[] = []
  for (const result of resultsOf(text, format)) {
    if ('cue' in result) cues.push(result.cue)
    else errors.push(result)
    if (errors.length === TRACK_ERRORS_MAX) break
  }
  const [first, ...others] = errors
  if (first) return { errors: [first, ...others] }
  return cues.length === 0 ? failure(1, 'The track has no cues.') : { cues }
}

const failure = (line: number, detail: string): ReadTrack => ({ errors: [{ line, detail }] })

/** Yields one line more than the maximum if the text has more. */
function* linesOf(text: string): Generator<Line> {
  let number = 0
  for (const line of textLines(text)) {
    if (number++ > TRACK_LINES_MAX) return
    yield { number, text: line }
  }
}

const isBlank = ({ text }: Line) => text.trim() === ''
const isTiming = ({ text }: Line) => text.includes('-->')

function formatOf(text: string): Format | undefined {
  if (/^WEBVTT(?:[ \t\r\n]|$)/.test(text)) return webVtt
  const [first, second] = firstLines(text)
  const isNumbered = /^\s*\d+\s*$/.test(first?.text ?? '') && second && isTiming(second)
  return isNumbered || (first && isTiming(first)) ? srt : undefined
}

/** The first two lines that are not blank. */
function firstLines(text: string): Line[] {
  const found: Line[] = []
  for (const line of linesOf(text)) {
    if (!isBlank(line)) found.push(line)
    if (found.length === 2) break
  }
  return found
}

/** Reads the text as far as the caller iterates, and up to the first cue beyond the maximum. */
function* resultsOf(text: string, format: Format): Generator<Located | TrackError> {
  let startSeconds = 0
  let count = 0
  for (const result of readBlocks(text, format)) {
    const problem = 'detail' in result ? result : cueError(result, startSeconds, ++count)
    yield problem ?? result
    if (count > TRACK_CUES_MAX) return
    if ('cue' in result) startSeconds = result.cue.startSeconds
  }
}

/** Cues may overlap, but players expect them in order of their start. */
function cueError({ line, cue }: Located, previousStartSeconds: number, number: number): TrackError | undefined {
  if (number > TRACK_CUES_MAX) return { line, detail: `The track must have at most ${TRACK_CUES_MAX} cues.` }
  if (cue.startSeconds >= previousStartSeconds) return undefined
  return { line, detail: 'The cue must not start before the previous one.' }
}

function* readBlocks(text: string, format: Format): Generator<Located | TrackError> {
  const lines = linesOf(text)
  for (const block of blocksOf(format.isSrt ? lines : afterHeader(lines))) {
    if ((block[0]?.number ?? 0) <= TRACK_LINES_MAX) yield* readBlock(block, format)
    else yield { line: TRACK_LINES_MAX, detail: `The track must have at most ${TRACK_LINES_MAX} lines.` }
  }
}

/** Skips the header of a WebVTT file: lines after the first one, up to a blank line, are file metadata. */
function* afterHeader(lines: Iterable<Line>): Generator<Line> {
  let isHeader = true
  for (const line of lines) {
    isHeader &&= line.number === 1 || !(isBlank(line) || isTiming(line))
    // The line beyond the maximum is always an error.
    if (!isHeader || line.number > TRACK_LINES_MAX) yield line
  }
}

/** Yields groups of lines, separated by blank lines. A line beyond the maximum is a group of its own. */
function* blocksOf(lines: Iterable<Line>): Generator<Line[]> {
  let block: Line[] = []
  for (const line of lines) {
    const isBeyond = line.number > TRACK_LINES_MAX
    if ((isBeyond || isBlank(line)) && block.length > 0) {
      yield block
      block = []
    }
    if (isBeyond || !isBlank(line)) block.push(line)
  }
  if (block.length > 0) yield block
}

const nonCue = /^(?:NOTE(?:[ \t]|$)|(?:STYLE|REGION)[ \t]*$)/
/** Control characters other than tabs would be displayed as boxes. */
const controlCharacter = /[^\P{Cc}\t]/u

type Located = { readonly line: number; readonly cue: TrackCue }

function readBlock(block: readonly Line[], format: Format): (Located | TrackError)[] {
  const at = block.findIndex(isTiming)
  const [first] = block
  const timing = block[at]
  if (!first || (!format.isSrt && nonCue.test(first.text) && at === -1)) return []
  if (!timing || at > 1) {
    return [{ line: first.number, detail: `A cue must have a timing such as ${format.example}.` }]
  }
  const payload = block.slice(at + 1)
  const invalid = payload.find((line) => isTiming(line) || controlCharacter.test(line.text))
  if (invalid) return [{ line: invalid.number, detail: describeInvalid(invalid) }]
  const times = timesOf(timing, format)
  if (typeof times === 'string') return [{ line: timing.number, detail: times }]
  const text = payload.map((line) => (format.isSrt ? readSrtText(line.text) : rewriteTags(line.text)))
  const shown = text.filter((line) => line.trim() !== '').join('\n')
  return shown === '' ? [] : [{ line: timing.number, cue: { ...times, text: shown } }]
}

const describeInvalid = (line: Line) =>
  isTiming(line)
    ? 'The cue has a second timing. Separate cues with a blank line.'
    : 'The line contains a control character.'

/** Returns the times of a cue, or an error message. */
function timesOf({ text }: Line, { timing, example, isSrt }: Format) {
  const found = timing.exec(text)
  if (!found) return `Invalid timing. Example: ${example}.`
  const [startSeconds, endSeconds] = [secondsOf(found.slice(1, 5)), secondsOf(found.slice(5, 9))]
  if (endSeconds <= startSeconds) return 'The cue must end after it starts.'
  return { startSeconds, endSeconds, settings: isSrt ? '' : knownSettings(found[9]) }
}

const secondsOf = ([hours, minutes, seconds, milliseconds]: readonly (string | undefined)[]) =>
  Number(hours ?? 0) * 3600 + Number(minutes) * 60 + Number(seconds) + Number(milliseconds) / 1000

const setting = /^(?:vertical|line|position|size|align):[\w.,%-]{1,40}$/

const knownSettings = (text = '') =>
  text
    .split(/\s+/)
    .filter((word) => setting.test(word))
    .join(' ')

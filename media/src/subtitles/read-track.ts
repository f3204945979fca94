/**
 * Parses uploaded tracks, and detects whether they are WebVTT or SRT. Unlike the parsers of players, which skip
 * invalid parts, it reports every line that would be lost. Comments, styles and regions are dropped, and tags that
 * WebVTT does not have are escaped.
 */
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
  const lines = linesOf(input.replace(/^\ufeff/, ''))
  if (lines.length > TRACK_LINES_MAX) {
    return failure(TRACK_LINES_MAX, `The track must have at most ${TRACK_LINES_MAX} lines.`)
  }
  const format = formatOf(lines)
  if (!format) {
    return failure(1, 'The file must start with WEBVTT or, for SRT, with the number of the first cue.')
  }
  const read = blocksOf(format.isSrt ? lines : afterHeader(lines)).flatMap((block) => readBlock(block, format))
  return toResult(read)
}

const failure = (line: number, detail: string): ReadTrack => ({ errors: [{ line, detail }] })

const linesOf = (text: string): Line[] =>
  text.split(/\r\n|\n|\r/, TRACK_LINES_MAX + 1).map((line, index) => ({ number: index + 1, text: line }))

const isBlank = ({ text }: Line) => text.trim() === ''
const isTiming = ({ text }: Line) => text.includes('-->')

function formatOf(lines: readonly Line[]): Format | undefined {
  if (/^WEBVTT(?:[ \t]|$)/.test(lines[0]?.text ?? '')) return webVtt
  const [first, second] = lines.filter((line) => !isBlank(line))
  const isNumbered = /^\s*\d+\s*$/.test(first?.text ?? '') && second && isTiming(second)
  return isNumbered || (first && isTiming(first)) ? srt : undefined
}

/** Skips the header of a WebVTT file: lines after the first one, up to a blank line, are file metadata. */
function afterHeader(lines: readonly Line[]): readonly Line[] {
  const end = lines.findIndex((line, index) => index > 0 && (isBlank(line) || isTiming(line)))
  return end === -1 ? [] : lines.slice(end)
}

function blocksOf(lines: readonly Line[]): Line[][] {
  const blocks: Line[][] = [[]]
  for (const line of lines) {
    if (!isBlank(line)) blocks.at(-1)?.push(line)
    else if (blocks.at(-1)?.length !== 0) blocks.push([])
  }
  return blocks.filter(({ length }) => length > 0)
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

function toResult(read: readonly (Located | TrackError)[]): ReadTrack {
  const located = read.filter((result) => 'cue' in result)
  const errors = [...read.filter((result) => 'detail' in result), ...orderErrors(located)]
  const [first, ...others] = errors.toSorted((one, other) => one.line - other.line).slice(0, TRACK_ERRORS_MAX)
  if (first) return { errors: [first, ...others] }
  if (located.length === 0) return failure(1, 'The track has no cues.')
  const beyond = located[TRACK_CUES_MAX]
  if (beyond) return failure(beyond.line, `The track must have at most ${TRACK_CUES_MAX} cues.`)
  return { cues: located.map(({ cue }) => cue) }
}

/** Cues may overlap, but players expect them in order of their start. */
const orderErrors = (located: readonly Located[]): TrackError[] =>
  located.flatMap(({ line, cue }, index) => {
    const before = located[index - 1]?.cue.startSeconds ?? 0
    return cue.startSeconds < before ? [{ line, detail: 'The cue must not start before the previous one.' }] : []
  })

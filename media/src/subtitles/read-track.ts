/**
 * Reads a track that somebody wrote: WebVTT, or SRT, which is recognised by itself. Parsers for
 * players leave out what they cannot read; here every line that would be lost is named instead.
 * Hence this one. Comments, styles and regions are left out.
 */
import { readSrtText } from './srt-text.ts'
import type { TrackCue } from './webvtt.ts'

export const TRACK_BYTES_MAX = 2 * 2 ** 20
/** A film of three hours has two thousand. */
export const TRACK_CUES_MAX = 20_000
/** Ten for each cue. */
const TRACK_LINES_MAX = 200_000
/** As many as anybody mends in one go. */
const TRACK_FAULTS_MAX = 50

/** Counted from 1. */
export type TrackFault = { readonly line: number; readonly detail: string }

export type ReadTrack =
  | { readonly cues: readonly TrackCue[]; readonly faults?: undefined }
  | { readonly faults: readonly [TrackFault, ...TrackFault[]] }

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
  // Many a program that writes SRT writes a dot.
  timing: timingOf('[,.]', '(\\d{1,4}):'),
  example: '00:01:30,000 --> 00:01:32,500',
  isSrt: true,
}

export function readTrack(given: string): ReadTrack {
  if (Buffer.byteLength(given) > TRACK_BYTES_MAX) {
    return fault(1, `The track is larger than ${TRACK_BYTES_MAX / 2 ** 20} MiB.`)
  }
  const lines = linesOf(given.replace(/^\ufeff/, ''))
  if (lines.length > TRACK_LINES_MAX) {
    return fault(TRACK_LINES_MAX, `A track has at most ${TRACK_LINES_MAX} lines.`)
  }
  const format = formatOf(lines)
  if (!format) {
    return fault(1, 'A track begins with WEBVTT, or, as SRT, with the number of its first cue.')
  }
  const read = blocksOf(format.isSrt ? lines : afterHeader(lines)).flatMap((block) =>
    readBlock(block, format),
  )
  return judged(read)
}

const fault = (line: number, detail: string): ReadTrack => ({ faults: [{ line, detail }] })

const linesOf = (text: string): Line[] =>
  text
    .split(/\r\n|\n|\r/, TRACK_LINES_MAX + 1)
    .map((line, index) => ({ number: index + 1, text: line }))

const isBlank = ({ text }: Line) => text.trim() === ''
const isTiming = ({ text }: Line) => text.includes('-->')

function formatOf(lines: readonly Line[]): Format | undefined {
  if (/^WEBVTT(?:[ \t]|$)/.test(lines[0]?.text ?? '')) return webVtt
  const [first, second] = lines.filter((line) => !isBlank(line))
  const isNumbered = /^\s*\d+\s*$/.test(first?.text ?? '') && second && isTiming(second)
  return isNumbered || (first && isTiming(first)) ? srt : undefined
}

/** What stands beneath the first line, up to a blank one, is about the file. */
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

const aside = /^(?:NOTE(?:[ \t]|$)|(?:STYLE|REGION)[ \t]*$)/
/** Lines that are none, and would be shown as boxes. */
const controlCharacter = /[^\P{Cc}\t]/u

type Located = { readonly line: number; readonly cue: TrackCue }

function readBlock(block: readonly Line[], format: Format): (Located | TrackFault)[] {
  const at = block.findIndex(isTiming)
  const [first] = block
  const timing = block[at]
  if (!first || (!format.isSrt && aside.test(first.text) && at === -1)) return []
  if (!timing || at > 1) {
    return [
      { line: first.number, detail: `begins no cue; one has a line such as ${format.example}.` },
    ]
  }
  const payload = block.slice(at + 1)
  const odd = payload.find((line) => isTiming(line) || controlCharacter.test(line.text))
  if (odd) return [{ line: odd.number, detail: oddity(odd) }]
  const times = timesOf(timing, format)
  if (typeof times === 'string') return [{ line: timing.number, detail: times }]
  const text = payload.map((line) => (format.isSrt ? readSrtText(line.text) : line.text))
  const shown = text.filter((line) => line.trim() !== '').join('\n')
  // A cue with nothing in it shows nothing.
  return shown === '' ? [] : [{ line: timing.number, cue: { ...times, text: shown } }]
}

const oddity = (line: Line) =>
  isTiming(line)
    ? 'is a second timing of the same cue; a blank line parts two cues.'
    : 'holds a control character.'

/** Or what is wrong with them. */
function timesOf({ text }: Line, { timing, example, isSrt }: Format) {
  const found = timing.exec(text)
  if (!found) return `is no timing, such as ${example}.`
  const [startSeconds, endSeconds] = [secondsOf(found.slice(1, 5)), secondsOf(found.slice(5, 9))]
  if (endSeconds <= startSeconds) return 'ends before it has begun.'
  return { startSeconds, endSeconds, settings: isSrt ? '' : knownSettings(found[9]) }
}

const secondsOf = ([hours, minutes, seconds, milliseconds]: readonly (string | undefined)[]) =>
  Number(hours ?? 0) * 3600 + Number(minutes) * 60 + Number(seconds) + Number(milliseconds) / 1000

const setting = /^(?:vertical|line|position|size|align):[\w.,%-]{1,40}$/

const knownSettings = (text = '') =>
  text
    .split(/\s+/)
    .filter((one) => setting.test(one))
    .join(' ')

function judged(read: readonly (Located | TrackFault)[]): ReadTrack {
  const located = read.filter((one) => 'cue' in one)
  const faults = [...read.filter((one) => 'detail' in one), ...orderFaults(located)]
  const [first, ...others] = faults
    .toSorted((one, other) => one.line - other.line)
    .slice(0, TRACK_FAULTS_MAX)
  if (first) return { faults: [first, ...others] }
  if (located.length === 0) return fault(1, 'The track holds no cue.')
  const beyond = located[TRACK_CUES_MAX]
  if (beyond) return fault(beyond.line, `A track has at most ${TRACK_CUES_MAX} cues.`)
  return { cues: located.map(({ cue }) => cue) }
}

/** They may overlap, as two people do who speak at once; but players look for them in order. */
const orderFaults = (located: readonly Located[]): TrackFault[] =>
  located.flatMap(({ line, cue }, index) => {
    const before = located[index - 1]?.cue.startSeconds ?? 0
    return cue.startSeconds < before ? [{ line, detail: 'begins before the cue above it.' }] : []
  })

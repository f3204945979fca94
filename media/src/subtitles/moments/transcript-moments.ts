/** Divides a transcript into the moments that a search finds. */
import { readTrack } from '../read-track.ts'
import type { TrackCue } from '../webvtt.ts'

/** A part of a transcript, of complete cues. */
export type TranscriptMoment = {
  readonly startMs: number
  readonly endMs: number
  /** Plain text in one line. */
  readonly text: string
  readonly cues: readonly CueInText[]
}

/** Where the text of a cue begins in the text of a moment, in UTF-16 units, and when it is said. */
export type CueInText = { readonly offset: number; readonly startMs: number }

/** A moment ends with the cue that reaches this duration. */
const MOMENT_SECONDS_MIN = 10
/** A moment that would get longer with its next cue ends before it. */
const MOMENT_SECONDS_MAX = 30
/** Far above what is said in 30 seconds. The rest of a longer text is not searchable. */
export const MOMENT_LENGTH_MAX = 2000
/** More than twelve hours of speech. The rest of a longer transcript is not searchable. */
export const TRANSCRIPT_MOMENTS_MAX = 4000

/**
 * Moments of 10 to 30 seconds. Each begins with the last cue of the one before, so that words on both sides of a cut
 * are found together. The cues are in order of their start.
 */
export function momentsOf(cues: readonly TrackCue[]): TranscriptMoment[] {
  const moments: TranscriptMoment[] = []
  for (let first = 0; first < cues.length && moments.length < TRANSCRIPT_MOMENTS_MAX; ) {
    const end = endOfMoment(cues, first)
    const moment = momentOf(cues.slice(first, end))
    if (moment.text !== '') moments.push(moment)
    const isOverlapping = end - first > 1 && end < cues.length && fits(cues, end - 1, end)
    first = isOverlapping ? end - 1 : end
  }
  return moments
}

/** The moments of a stored WebVTT file; none if it cannot be read. */
export function readMoments(webVtt: string): TranscriptMoment[] {
  const read = readTrack(webVtt)
  return read.errors ? [] : momentsOf(read.cues)
}

/** The index after the last cue of the moment that begins with this one. */
function endOfMoment(cues: readonly TrackCue[], first: number): number {
  let end = first + 1
  while (end < cues.length && duration(cues, first, end - 1) < MOMENT_SECONDS_MIN && fits(cues, first, end)) end++
  return end
}

const fits = (cues: readonly TrackCue[], first: number, last: number) =>
  duration(cues, first, last) <= MOMENT_SECONDS_MAX

const duration = (cues: readonly TrackCue[], first: number, last: number) =>
  (cues[last]?.endSeconds ?? 0) - (cues[first]?.startSeconds ?? 0)

function momentOf(cues: readonly TrackCue[]): TranscriptMoment {
  const endSeconds = cues.reduce((latest, cue) => Math.max(latest, cue.endSeconds), 0)
  const starts: CueInText[] = []
  let text = ''
  for (const { startSeconds, text: markup } of cues) {
    const clean = plainText(markup).replace(/\s+/g, ' ').trim().normalize('NFC')
    if (clean === '') continue
    if (text !== '') text += ' '
    if (text.length >= MOMENT_LENGTH_MAX) break
    starts.push({ offset: text.length, startMs: Math.round(startSeconds * 1000) })
    text += clean
  }
  return {
    startMs: Math.round((cues[0]?.startSeconds ?? 0) * 1000),
    endMs: Math.round(endSeconds * 1000),
    text: shortened(text),
    cues: starts,
  }
}

/** Half of a character outside of the basic plane could not be stored. */
const shortened = (text: string) => text.slice(0, MOMENT_LENGTH_MAX).replace(/[\ud800-\udbff]$/, '')

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', nbsp: ' ', lrm: '', rlm: '' }

/** The text of a cue without tags and escapes. */
const plainText = (text: string): string =>
  text.replace(/<[^<>]*>/g, '').replace(/&(\w+);/g, (entity, name: string) => entities[name] ?? entity)

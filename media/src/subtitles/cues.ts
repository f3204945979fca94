/**
 * Converts phrases to cues: few short lines, displayed long enough to be read. The time of each
 * word is estimated from its position in the text of its phrase.
 */
import { breakInTwo } from './break-text.ts'
import type { Phrase } from './transcription/transcriber.ts'

export type Cue = {
  readonly startSeconds: number
  readonly endSeconds: number
  readonly lines: readonly string[]
}

export const LINE_LENGTH_MAX = 42
export const CUE_SECONDS_MIN = 1
export const CUE_SECONDS_MAX = 7

/** Returns cues in order, without overlaps. */
export function cuesOf(phrases: readonly Phrase[]): Cue[] {
  const spoken = withoutOverlaps(phrases.map(cleaned).filter(({ text }) => text !== ''))
  const shown = joined(spoken.flatMap(split))
  return shown.map((phrase, index) => ({
    startSeconds: phrase.startSeconds,
    endSeconds: endOf(phrase, shown[index + 1]),
    lines: linesOf(phrase.text) ?? [phrase.text],
  }))
}

const cleaned = (phrase: Phrase): Phrase => ({
  ...phrase,
  text: phrase.text.replace(/[\s\p{Cc}]+/gu, ' ').trim(),
})

/** Removes overlaps, which occur because phrases have a margin on both sides. */
function withoutOverlaps(phrases: readonly Phrase[]): Phrase[] {
  const apart = startingApart(phrases)
  return apart.map((phrase, index) => {
    const next = apart[index + 1]?.startSeconds ?? phrase.endSeconds
    return { ...phrase, endSeconds: Math.min(phrase.endSeconds, next) }
  })
}

/** Sorts phrases by start. Phrases that start at the same time are joined, so that no text is lost. */
function startingApart(phrases: readonly Phrase[]): Phrase[] {
  const apart: Phrase[] = []
  for (const phrase of phrases.toSorted((one, other) => one.startSeconds - other.startSeconds)) {
    const before = apart.at(-1)
    if (before && phrase.startSeconds <= before.startSeconds) {
      const endSeconds = Math.max(before.endSeconds, phrase.endSeconds)
      apart.splice(-1, 1, { ...before, endSeconds, text: `${before.text} ${phrase.text}` })
    } else apart.push(phrase)
  }
  return apart
}

/** Splits a phrase recursively until each half fits on the screen and is not displayed for too long. */
function split(phrase: Phrase): Phrase[] {
  const { startSeconds, endSeconds, text } = phrase
  const seconds = endSeconds - startSeconds
  if (linesOf(text) && seconds <= CUE_SECONDS_MAX) return [phrase]
  const halves = breakInTwo(text, LINE_LENGTH_MAX)
  // A single long word is displayed for the maximum time.
  if (!halves) return [{ ...phrase, endSeconds: startSeconds + Math.min(seconds, CUE_SECONDS_MAX) }]
  const [first, second] = halves
  const middle = startSeconds + (seconds * first.length) / (first.length + second.length)
  return [
    ...split({ startSeconds, endSeconds: middle, text: first }),
    ...split({ startSeconds: middle, endSeconds, text: second }),
  ]
}

/** Joins a phrase that is too short with the next one, if they fit into one cue. */
function joined(phrases: readonly Phrase[]): Phrase[] {
  const shown: Phrase[] = []
  for (const phrase of phrases) {
    const before = shown.at(-1)
    const together = before && isTooShort(before, phrase) ? joinedWith(before, phrase) : undefined
    if (together) shown.splice(-1, 1, together)
    else shown.push(phrase)
  }
  return shown
}

const isTooShort = ({ startSeconds }: Phrase, next: Phrase) => next.startSeconds - startSeconds < CUE_SECONDS_MIN

function joinedWith(first: Phrase, second: Phrase): Phrase | undefined {
  const text = `${first.text} ${second.text}`
  const isShort = second.endSeconds - first.startSeconds <= CUE_SECONDS_MAX
  return isShort && linesOf(text) ? { ...first, endSeconds: second.endSeconds, text } : undefined
}

/** Extends a short cue if no other cue follows immediately. */
function endOf({ startSeconds, endSeconds }: Phrase, next: Phrase | undefined): number {
  const wanted = Math.max(endSeconds, startSeconds + CUE_SECONDS_MIN)
  return Math.min(wanted, Math.max(endSeconds, next?.startSeconds ?? wanted))
}

/** Breaks a text into one or two lines; undefined if it does not fit. */
function linesOf(text: string): readonly string[] | undefined {
  if (lengthOf(text) <= LINE_LENGTH_MAX) return [text]
  return breakInTwo(
    text,
    LINE_LENGTH_MAX,
    (first, second) => lengthOf(first) <= LINE_LENGTH_MAX && lengthOf(second) <= LINE_LENGTH_MAX,
  )
}

/** Counts code points, not UTF-16 units. */
const lengthOf = (text: string) => [...text].length

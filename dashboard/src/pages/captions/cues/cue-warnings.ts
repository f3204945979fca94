/** What makes captions hard to read. */
import type { CueValues } from './cue-list.ts'

/** Adults read about 17 characters a second; more than 21 is too fast for most. */
const READING_SPEED_MAX = 21
/** Shorter cues flash up. */
const DURATION_MS_MIN = 500
const LINES_MAX = 3

export type Warning =
  | { readonly kind: 'fast'; readonly charactersPerSecond: number }
  | { readonly kind: 'overlap' | 'short' | 'empty' | 'outside' | 'lines' }

/** The text as viewers read it, without tags. */
export const plainText = (text: string) => text.replace(/<[^>]*>/g, '').replace(/&(?:lt|gt|amp|nbsp|lrm|rlm);/g, ' ')

export function readingSpeed({ startMs, endMs, text }: CueValues): number {
  const characters = plainText(text).replace(/\s+/g, ' ').trim().length
  return Math.round((characters * 1000) / Math.max(1, endMs - startMs))
}

/** `next` is the cue after this one. */
export function warningsOf(cue: CueValues, next: CueValues | undefined, durationMs: number): readonly Warning[] {
  const warnings: Warning[] = []
  const charactersPerSecond = readingSpeed(cue)
  if (plainText(cue.text).trim() === '') warnings.push({ kind: 'empty' })
  else if (charactersPerSecond > READING_SPEED_MAX) warnings.push({ kind: 'fast', charactersPerSecond })
  if (next && next.startMs < cue.endMs) warnings.push({ kind: 'overlap' })
  if (cue.endMs - cue.startMs < DURATION_MS_MIN) warnings.push({ kind: 'short' })
  if (cue.startMs >= durationMs) warnings.push({ kind: 'outside' })
  if (cue.text.split('\n').length > LINES_MAX) warnings.push({ kind: 'lines' })
  return warnings
}

/** The indexes of all cues with a warning. */
export const indexesWithWarning = (cues: readonly CueValues[], durationMs: number): readonly number[] =>
  cues.flatMap((cue, index) => (warningsOf(cue, cues[index + 1], durationMs).length > 0 ? [index] : []))

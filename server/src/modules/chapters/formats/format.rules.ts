import { textLines } from '@reelkeep/media/text-lines'
import type { NewChapter } from '../chapters.rules.ts'

/** A position in the text for error messages, such as "line 7". */
type Position = { readonly position: string }

export type ReadChapter = NewChapter & Position

/** `detail` completes a sentence that starts with the position. */
export type TextError = Position & { readonly detail: string }

/** A part that a format finds in a text, in its order. */
export type Part = ReadChapter | TextError

/** A text format for chapters. Reading a written text returns the same chapters. */
export type Format = {
  /** Parses a text as far as the caller iterates, without validating the titles. */
  readonly read: (text: string) => Iterable<Part>
  /** Writes chapters, which must be ordered by start. */
  readonly write: (chapters: readonly NewChapter[], durationSeconds: number) => string
}

export type Line = { readonly position: string; readonly text: string }

/** Accepts all line endings. Unicode line separators may be part of a title and do not end a line. */
export function* linesOf(text: string): Generator<Line> {
  let number = 0
  for (const line of textLines(text)) yield { position: `line ${++number}`, text: line }
}

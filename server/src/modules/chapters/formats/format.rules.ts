import type { NewChapter } from '../chapters.rules.ts'

/** A position in the text for error messages, such as "line 7". */
type Position = { readonly position: string }

export type ReadChapter = NewChapter & Position

/** `detail` completes a sentence that starts with the position. */
export type TextError = Position & { readonly detail: string }

/** Result of parsing. The chapters are valid only if there are no errors. */
export type ParsedChapters = {
  readonly chapters: readonly ReadChapter[]
  readonly errors: readonly TextError[]
}

/** A text format for chapters. Reading a written text returns the same chapters. */
export type Format = {
  /** Parses a text without validating the titles. */
  readonly read: (text: string) => ParsedChapters
  /** Writes chapters, which must be ordered by start. */
  readonly write: (chapters: readonly NewChapter[], durationSeconds: number) => string
}

export type Line = { readonly position: string; readonly text: string }

/** Accepts all line endings. Unicode line separators may be part of a title and do not end a line. */
export const linesOf = (text: string): Line[] =>
  text.split(/\r\n|\n|\r/).map((text, index) => ({ position: `line ${index + 1}`, text }))

/** Separates chapters from errors. */
export function toParsed(parts: readonly (ReadChapter | TextError)[]): ParsedChapters {
  const isError = (part: ReadChapter | TextError): part is TextError => 'detail' in part
  return {
    chapters: parts.filter((part): part is ReadChapter => !isError(part)),
    errors: parts.filter(isError),
  }
}

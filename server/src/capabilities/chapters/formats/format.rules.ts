import type { NewChapter } from '../chapters.rules.ts'

/** Where in a text something stands, as it is told: "line 7". */
type Place = { readonly place: string }

export type ReadChapter = NewChapter & Place

/** A sentence about a place in the text. */
export type TextFault = Place & { readonly detail: string }

/** What a text says. With a fault in it, it says nothing that counts. */
export type Reading = {
  readonly chapters: readonly ReadChapter[]
  readonly faults: readonly TextFault[]
}

/** A way to write chapters down. Whatever is written is read again as it was. */
export type Format = {
  /** Titles are as they stand in the text; whoever asked checks them. */
  readonly read: (text: string) => Reading
  /** The chapters are ordered by start. */
  readonly write: (chapters: readonly NewChapter[], durationSeconds: number) => string
}

export type Line = { readonly place: string; readonly text: string }

/** Of any system. Unicode's own separators may stand in a title, so they end no line. */
export const linesOf = (text: string): Line[] =>
  text.split(/\r\n|\n|\r/).map((text, index) => ({ place: `line ${index + 1}`, text }))

/** Parts in the order of reading, each a chapter or a fault. */
export function toReading(parts: readonly (ReadChapter | TextFault)[]): Reading {
  const isFault = (part: ReadChapter | TextFault): part is TextFault => 'detail' in part
  return {
    chapters: parts.filter((part): part is ReadChapter => !isFault(part)),
    faults: parts.filter(isFault),
  }
}

import { styleText } from 'node:util'

type Format = Parameters<typeof styleText>[0]

/** Colours a text, where there are colours. */
type Paint = (format: Format, text: string) => string

/** What drawing for people depends on; functions that draw are given it and are pure. */
export type Look = {
  readonly paint: Paint
  /** Of the terminal; undefined where lines may be of any length, as in a pipe. */
  readonly columns: number | undefined
  readonly now: Date
}

/** Node's own judgement: colours for a terminal, none with NO_COLOR, always with FORCE_COLOR. */
export const lookOf = (stream: NodeJS.WriteStream): Look => ({
  paint: (format, text) => styleText(format, text, { stream }),
  // Some terminals do not know their size, and say 0.
  columns: (stream.isTTY && stream.columns) || undefined,
  now: new Date(),
})

/** For tests of what is drawn, and for documents. */
export const plainLook = (now: Date, columns?: number): Look => ({
  paint: (_, text) => text,
  columns,
  now,
})

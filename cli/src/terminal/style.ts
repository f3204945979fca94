import { styleText } from 'node:util'

type Format = Parameters<typeof styleText>[0]

/** Colors a text, if colors are enabled. */
type Paint = (format: Format, text: string) => string

/** What the output of render functions depends on besides the data. */
export type Style = {
  readonly paint: Paint
  /** Width of the terminal; undefined if output goes to a pipe or file. */
  readonly columns: number | undefined
  readonly now: Date
}

/** Uses colors in a terminal, never with NO_COLOR and always with FORCE_COLOR, like Node. */
export const styleFor = (stream: NodeJS.WriteStream): Style => ({
  paint: (format, text) => styleText(format, text, { stream }),
  // Some terminals report a width of 0.
  columns: (stream.isTTY && stream.columns) || undefined,
  now: new Date(),
})

/** A style without colors, for tests and documentation. */
export const plainStyle = (now: Date, columns?: number): Style => ({
  paint: (_, text) => text,
  columns,
  now,
})

import type { Look } from './look.ts'
import { padEnd, padStart, printable, shortened, widthOf } from './width.ts'

export type Column<Row> = {
  readonly title: string
  readonly cell: (row: Row, look: Look) => string | number | null | undefined
  /** Numbers stand to the right. */
  readonly isNumber?: true
  /** May be cut off where the terminal is too narrow; identifiers may not, for they are copied. */
  readonly mayShrink?: true
  /** Left out where the terminal is too narrow for all, the highest first. */
  readonly rank?: number
  /** Colours a cell once it has its width. */
  readonly paint?: (text: string, row: Row, look: Look) => string
}

const GAP = '  '
/** Narrower than this a title says nothing. */
const SHRUNK_COLUMNS_MIN = 8
/** Before a title gets narrower than this, other columns are left out. */
const READABLE_COLUMNS = 16

/** A column with what stands in it. */
type Filled<Row> = {
  readonly column: Column<Row>
  readonly texts: readonly string[]
  readonly width: number
}

/** Columns one below the other, with a heading. */
export function drawTable<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  look: Look,
): string {
  const filled = fitted(
    columns.map((column) => fill(column, rows, look)),
    look.columns ?? Number.POSITIVE_INFINITY,
  )
  const heading = filled.map(({ column: { title, isNumber }, width }) =>
    look.paint('gray', aligned(title.toUpperCase(), width, isNumber)),
  )
  const body = rows.map((row, line) =>
    filled.map(({ column: { isNumber, paint }, texts, width }) => {
      const padded = aligned(texts[line] ?? '', width, isNumber)
      return paint ? paint(padded, row, look) : padded
    }),
  )
  return [heading, ...body].map((line) => line.join(GAP).trimEnd()).join('\n')
}

function fill<Row>(column: Column<Row>, rows: readonly Row[], look: Look): Filled<Row> {
  const texts = rows.map((row) => textOf(column.cell(row, look)))
  // Not all at once: a call takes fewer arguments than a list has rows.
  const width = texts.reduce(
    (widest, text) => Math.max(widest, widthOf(text)),
    widthOf(column.title),
  )
  return { column, texts, width }
}

function aligned(text: string, width: number, isNumber: true | undefined): string {
  const fitting = shortened(text, width)
  return isNumber ? padStart(fitting, width) : padEnd(fitting, width)
}

/**
 * As wide as what they hold; if that is too much for the terminal, some are left out, and those
 * that may shrink share what is left.
 */
function fitted<Row>(all: readonly Filled<Row>[], columnsMax: number): Filled<Row>[] {
  const shown = withoutDispensable(all, columnsMax)
  let excess = widthTogether(shown.map(({ width }) => width)) - columnsMax
  return shown.map((filled) => {
    const { column, width } = filled
    if (!column.mayShrink || excess <= 0) return filled
    const narrower = Math.max(Math.min(width, SHRUNK_COLUMNS_MIN), width - excess)
    excess -= width - narrower
    return { ...filled, width: narrower }
  })
}

function withoutDispensable<Row>(
  all: readonly Filled<Row>[],
  columnsMax: number,
): readonly Filled<Row>[] {
  const needed = all.map(({ column, width }) =>
    column.mayShrink ? Math.min(width, READABLE_COLUMNS) : width,
  )
  const highest = Math.max(0, ...all.map(({ column }) => column.rank ?? 0))
  if (widthTogether(needed) <= columnsMax || highest === 0) return all
  return withoutDispensable(
    all.filter(({ column }) => column.rank !== highest),
    columnsMax,
  )
}

const widthTogether = (widths: readonly number[]) =>
  widths.reduce((sum, width) => sum + width, GAP.length * (widths.length - 1))

const textOf = (cell: string | number | null | undefined) => printable(String(cell ?? ''))

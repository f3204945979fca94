import type { Style } from './style.ts'
import { padEnd, padStart, printable, shortened, widthOf } from './width.ts'

export type Column<Row> = {
  readonly title: string
  readonly cell: (row: Row, style: Style) => string | number | null | undefined
  /** If true, cells are right-aligned. */
  readonly isNumber?: true
  /** If true, cells may be truncated in a narrow terminal. Identifiers must not be truncated. */
  readonly mayShrink?: true
  /** Columns with a higher rank are dropped first in a narrow terminal. */
  readonly rank?: number
  /** Colors a padded cell. */
  readonly paint?: (text: string, row: Row, style: Style) => string
}

const GAP = '  '
/** Minimum width of a truncated column. */
const SHRUNK_COLUMNS_MIN = 8
/** Columns are dropped before a title gets narrower than this. */
const READABLE_COLUMNS = 16

/** A column with its cells. */
type Filled<Row> = {
  readonly column: Column<Row>
  readonly texts: readonly string[]
  readonly width: number
}

export function renderTable<Row>(columns: readonly Column<Row>[], rows: readonly Row[], style: Style): string {
  const filled = fitted(
    columns.map((column) => fill(column, rows, style)),
    style.columns ?? Number.POSITIVE_INFINITY,
  )
  const heading = filled.map(({ column: { title, isNumber }, width }) =>
    style.paint('gray', aligned(title.toUpperCase(), width, isNumber)),
  )
  const body = rows.map((row, line) =>
    filled.map(({ column: { isNumber, paint }, texts, width }) => {
      const padded = aligned(texts[line] ?? '', width, isNumber)
      return paint ? paint(padded, row, style) : padded
    }),
  )
  return [heading, ...body].map((line) => line.join(GAP).trimEnd()).join('\n')
}

function fill<Row>(column: Column<Row>, rows: readonly Row[], style: Style): Filled<Row> {
  const texts = rows.map((row) => textOf(column.cell(row, style)))
  // `Math.max(...widths)` would fail for long lists, because the number of arguments of a call is limited.
  const width = texts.reduce((widest, text) => Math.max(widest, widthOf(text)), widthOf(column.title))
  return { column, texts, width }
}

function aligned(text: string, width: number, isNumber: true | undefined): string {
  const fitting = shortened(text, width)
  return isNumber ? padStart(fitting, width) : padEnd(fitting, width)
}

/** If the table is too wide for the terminal, drops columns and shrinks those that may shrink. */
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

function withoutDispensable<Row>(all: readonly Filled<Row>[], columnsMax: number): readonly Filled<Row>[] {
  const needed = all.map(({ column, width }) => (column.mayShrink ? Math.min(width, READABLE_COLUMNS) : width))
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

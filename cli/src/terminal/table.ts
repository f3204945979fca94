import type { Look } from './look.ts'
import { padEnd, padStart, printable, shortened, widthOf } from './width.ts'

export type Column<Row> = {
  readonly title: string
  readonly cell: (row: Row, look: Look) => string | number | null | undefined
  /** Numbers stand to the right. */
  readonly isNumber?: true
  /** May be cut off where the terminal is too narrow; identifiers may not, for they are copied. */
  readonly mayShrink?: true
  /** Colours a cell once it has its width. */
  readonly paint?: (text: string, row: Row, look: Look) => string
}

const GAP = '  '
/** Narrower than this a title says nothing. */
const SHRUNK_COLUMNS_MIN = 8

/** Columns one below the other, with a heading. */
export function drawTable<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  look: Look,
): string {
  const cells = rows.map((row) => columns.map(({ cell }) => textOf(cell(row, look))))
  const widths = fitted(columns, cells, look.columns)
  const heading = columns.map(({ title, isNumber }, index) =>
    look.paint('gray', aligned(title.toUpperCase(), widths[index] ?? 0, isNumber)),
  )
  const body = cells.map((texts, line) => {
    const row = rows[line] as Row
    return texts.map((text, index) => {
      const { isNumber, paint } = columns[index] as Column<Row>
      const padded = aligned(text, widths[index] ?? 0, isNumber)
      return paint ? paint(padded, row, look) : padded
    })
  })
  return [heading, ...body].map((line) => line.join(GAP).trimEnd()).join('\n')
}

function aligned(text: string, width: number, isNumber: true | undefined): string {
  const fitting = shortened(text, width)
  return isNumber ? padStart(fitting, width) : padEnd(fitting, width)
}

/** As wide as what they hold; if that is too much for the terminal, the columns that may shrink share what is left. */
function fitted<Row>(
  columns: readonly Column<Row>[],
  cells: readonly (readonly string[])[],
  columnsMax: number | undefined,
): number[] {
  const widths = columns.map(({ title }, index) =>
    // Not all at once: a call takes fewer arguments than a list has rows.
    cells.reduce((widest, texts) => Math.max(widest, widthOf(texts[index] ?? '')), widthOf(title)),
  )
  if (columnsMax === undefined) return widths
  const total = widths.reduce((sum, width) => sum + width, GAP.length * (columns.length - 1))
  let excess = total - columnsMax
  for (const [index, { mayShrink }] of columns.entries()) {
    if (!mayShrink || excess <= 0) continue
    const width = widths[index] ?? 0
    const narrower = Math.max(Math.min(width, SHRUNK_COLUMNS_MIN), width - excess)
    excess -= width - narrower
    widths[index] = narrower
  }
  return widths
}

const textOf = (cell: string | number | null | undefined) => printable(String(cell ?? ''))

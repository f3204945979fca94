/** Places of the videos in the list, in pixels. */
export type ListLayout = {
  readonly columns: number
  readonly gap: number
  /** Width of a card. */
  readonly width: number
  /** Height of a row with its gap. */
  readonly rowHeight: number
  /** Rows that are visible at once. */
  readonly rowsPerPage: number
}

const CARD_WIDTH_MIN = 236
const NARROW = 500
const TEXT_HEIGHT = 56
const ROW_HEIGHT = 64

/** A grid has at least two columns on phones, and as many as fit elsewhere. */
export function layoutOf(isGrid: boolean, boxWidth: number, boxHeight: number): ListLayout {
  const perPage = (rowHeight: number) => Math.max(1, Math.floor(boxHeight / rowHeight))
  if (!isGrid) {
    return { columns: 1, gap: 0, width: boxWidth, rowHeight: ROW_HEIGHT, rowsPerPage: perPage(ROW_HEIGHT) }
  }
  const isNarrow = boxWidth < NARROW
  const gap = isNarrow ? 12 : 20
  const columns = isNarrow ? 2 : Math.max(1, Math.floor((boxWidth + gap) / (CARD_WIDTH_MIN + gap)))
  const width = Math.max(0, (boxWidth - (columns - 1) * gap) / columns)
  const rowHeight = Math.round((width * 9) / 16) + TEXT_HEIGHT + gap
  return { columns, gap, width, rowHeight, rowsPerPage: perPage(rowHeight) }
}

/** By how many videos a key moves; undefined for other keys. */
export function stepOf(key: string, { columns, rowsPerPage }: ListLayout): number | undefined {
  const page = columns * rowsPerPage
  const steps: Record<string, number> = {
    ...{ ArrowRight: 1, ArrowLeft: -1, ArrowDown: columns, ArrowUp: -columns, PageDown: page, PageUp: -page },
    ...{ Home: Number.NEGATIVE_INFINITY, End: Number.POSITIVE_INFINITY },
  }
  return steps[key]
}

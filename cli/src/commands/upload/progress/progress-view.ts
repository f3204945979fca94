/** Renders upload progress for a terminal; pure. */
import { byteCount } from '../../../terminal/amounts.ts'
import { percentOf, renderBar } from '../../../terminal/bar.ts'
import { duration } from '../../../terminal/times.ts'
import { padEnd, shortened, widthOf } from '../../../terminal/width.ts'
import { rateOf, secondsLeft, sentShare, type Transfer } from '../transfer.ts'

export type Frame = {
  readonly columns: number
  readonly rows: number
  /** Time in seconds, by the same clock as the transfers. */
  readonly at: number
  /** If true, a second bar shows processing. */
  readonly isWatching: boolean
}

/** Maximum number of lines, however tall the terminal is. */
const LINES_MAX = 12
const NAME_COLUMNS_MAX = 32
const BAR_COLUMNS_MAX = 30
/** Minimum width of a bar; a narrower bar shows less than the percentage. */
const BAR_COLUMNS_MIN = 5
const PERCENT_COLUMNS = 5
const RATE_COLUMNS = 9
const LEFT_COLUMNS = 12

const activePhases: readonly Transfer['phase'][] = ['comparing', 'sending', 'processing']

/** Renders the active transfers, and a summary if there are several. */
export function renderProgress(transfers: readonly Transfer[], frame: Frame): string[] {
  const active = transfers.filter(({ phase }) => activePhases.includes(phase))
  const shown = active.slice(0, Math.max(1, Math.min(LINES_MAX, frame.rows - 3)))
  const layout = layOut(shown, frame)
  const lines = shown.map((transfer) => renderTransfer(transfer, layout, frame))
  const head = lines.length > 0 && layout.barColumns > 0 ? renderHead(layout, frame) : []
  const sum = transfers.length > 1 ? [cut(renderSum(transfers), frame.columns)] : []
  return [...head, ...lines, ...sum]
}

type Layout = {
  readonly nameColumns: number
  /** Width of the bars; 0 if there is no room for them. */
  readonly barColumns: number
  readonly hasRate: boolean
}

/** Computes the layout. If there is not enough room, drops the rate first, then the bars. */
function layOut(shown: readonly Transfer[], { columns, isWatching }: Frame): Layout {
  const bars = isWatching ? 2 : 1
  const longest = Math.max(0, ...shown.map(({ name }) => widthOf(name)))
  const nameColumns = Math.min(longest, NAME_COLUMNS_MAX, Math.floor(columns / 3))
  const forBars = (taken: number) => Math.floor((columns - 1 - nameColumns - taken) / bars) - PERCENT_COLUMNS - 3
  const besideRate = forBars(RATE_COLUMNS + 1 + LEFT_COLUMNS + 2)
  const hasRate = besideRate >= BAR_COLUMNS_MIN
  const room = hasRate ? besideRate : forBars(0)
  const barColumns = room < BAR_COLUMNS_MIN ? 0 : Math.min(room, BAR_COLUMNS_MAX)
  return { nameColumns, barColumns, hasRate }
}

function renderHead({ nameColumns, barColumns }: Layout, { isWatching }: Frame): string[] {
  if (!isWatching) return []
  const column = (title: string) => padEnd(title, barColumns + PERCENT_COLUMNS + 1)
  return [`${' '.repeat(nameColumns)}  ${column('upload')}  ${column('processing')}`.trimEnd()]
}

function renderTransfer(transfer: Transfer, layout: Layout, frame: Frame): string {
  const progress = (share: number) => {
    const percent = percentOf(share).padStart(PERCENT_COLUMNS)
    return layout.barColumns > 0 ? `${renderBar(share, layout.barColumns)} ${percent}` : percent
  }
  const parts = [
    padEnd(shortened(transfer.name, layout.nameColumns), layout.nameColumns),
    progress(sentShare(transfer)),
    ...(frame.isWatching ? [progress(transfer.processedPercent / 100)] : []),
    ...(layout.hasRate ? [renderRate(transfer, frame.at)] : []),
  ]
  return cut(parts.join('  ').trimEnd(), frame.columns)
}

function renderRate(transfer: Transfer, at: number): string {
  if (transfer.phase === 'comparing') return 'comparing the file'
  if (transfer.phase !== 'sending') return ''
  const [rate, left] = [rateOf(transfer, at), secondsLeft(transfer, at)]
  if (rate === undefined) return ''
  if (left === undefined) return 'waiting for network'.slice(0, RATE_COLUMNS + LEFT_COLUMNS)
  return `${`${byteCount(rate)}/s`.padStart(RATE_COLUMNS)} ${`${duration(left)} left`.padStart(LEFT_COLUMNS)}`
}

/** Renders the summary, for example "3 of 40 files done, 1 failed, 1.20 GB of 8.00 GB sent, 15 %". */
function renderSum(transfers: readonly Transfer[]): string {
  const count = (phase: Transfer['phase']) => transfers.filter((one) => one.phase === phase).length
  const [sent, total] = [sumOf(transfers, 'sentBytes'), sumOf(transfers, 'totalBytes')]
  const failed = count('failed')
  return [
    `${count('done')} of ${transfers.length} files done`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    `${byteCount(sent)} of ${byteCount(total)} sent`,
    percentOf(total === 0 ? 1 : sent / total),
  ].join(', ')
}

const sumOf = (transfers: readonly Transfer[], field: 'sentBytes' | 'totalBytes') =>
  transfers.reduce((sum, transfer) => sum + transfer[field], 0)

/** Truncates a line. Keeps the last column free, because some terminals wrap the line when it is written. */
const cut = (line: string, columns: number) => shortened(line, Math.max(1, columns - 1))

import type { BulkOperation, BulkOperationSummary, BulkPreview } from 'reelkeep'
import type { Cli } from '../../cli.ts'
import { counted } from '../../terminal/amounts.ts'
import { percentOf } from '../../terminal/bar.ts'
import { renderFields } from '../../terminal/fields.ts'
import { paintStatus } from '../../terminal/statuses.ts'
import type { Style } from '../../terminal/style.ts'
import { type Column, renderTable } from '../../terminal/table.ts'
import { relativeTime } from '../../terminal/times.ts'

/** Maximum number of errors that a terminal shows; `--json` prints all of them. */
const ERRORS_SHOWN_MAX = 20

type Counted = Pick<BulkOperationSummary, 'progress'>

const shareOf = ({ progress: { total, done, failed } }: Counted) => (total === 0 ? 1 : (done + failed) / total)

const progressText = (operation: Counted) => {
  const { total, done, failed } = operation.progress
  const failures = failed > 0 ? `, ${failed.toLocaleString('en')} failed` : ''
  return `${percentOf(shareOf(operation))} (${done.toLocaleString('en')} of ${counted(total, 'asset')}${failures})`
}

export const bulkColumns: readonly Column<BulkOperationSummary>[] = [
  { title: 'id', cell: ({ id }) => id },
  { title: 'action', cell: ({ action }) => action },
  { title: 'status', cell: ({ status }) => status, paint: (text, _, style) => paintStatus(text, style) },
  { title: 'progress', cell: progressText },
  { title: 'created', cell: ({ created_at }, { now }) => relativeTime(created_at, now) },
]

export function renderOperation(operation: BulkOperation, style: Style): string {
  const { id, action, status, error, errors } = operation
  const fields = renderFields(
    [
      ['operation', id],
      ['action', action],
      ['status', status, (text) => paintStatus(text, style)],
      ['progress', progressText(operation)],
      ['error', error?.detail],
    ],
    style,
  )
  if (errors.length === 0) return fields
  const shown = errors.slice(0, ERRORS_SHOWN_MAX)
  const rest = errors.length > shown.length ? '\nThere are more errors. Use --json to show them.' : ''
  return `${fields}\n\n${renderTable(errorColumns, shown, style)}${rest}`
}

const errorColumns: readonly Column<BulkOperation['errors'][number]>[] = [
  { title: 'asset', cell: ({ asset_id }) => asset_id },
  { title: 'error', cell: ({ detail }) => detail, mayShrink: true },
]

export function renderPreview({ count, sample }: BulkPreview, style: Style): string {
  if (count === 0) return 'No asset is selected.'
  const table = renderTable(sampleColumns, sample, style)
  return `${counted(count, 'asset')} selected. ${count > sample.length ? 'The newest:' : ''}\n${table}`
}

const sampleColumns: readonly Column<BulkPreview['sample'][number]>[] = [
  { title: 'id', cell: ({ id }) => id },
  { title: 'title', cell: ({ title }) => title, mayShrink: true },
]

/** Minimum progress between two printed lines, to keep logs short. */
const STEP_PERCENT = 10

export function progressPrinter(cli: Cli): (operation: BulkOperation) => void {
  let printed = -1
  return (operation) => {
    const step = Math.floor((shareOf(operation) * 100) / STEP_PERCENT)
    if (step === printed || operation.finished_at !== null) return
    printed = step
    cli.output().note(`${operation.status}: ${progressText(operation)}`)
  }
}

import type { ReelkeepEvent } from 'reelkeep'
import type { Look } from '../../terminal/look.ts'
import { localTime } from '../../terminal/times.ts'
import { padEnd, padStart, printable } from '../../terminal/width.ts'

/** As wide as most numbers and names of kinds are; a longer one moves its own line alone. */
const NUMBER_COLUMNS = 5
const TYPE_COLUMNS = 24

/** One line: when, its place in the log, what happened, and to what. */
export function drawEvent(event: ReelkeepEvent, { paint }: Look): string {
  const colour = /[.](failed|deleted|revoked|disabled|expired)$/.test(event.type) ? 'red' : 'cyan'
  return [
    paint('gray', localTime(event.created_at)),
    paint('gray', padStart(String(event.number), NUMBER_COLUMNS)),
    paint(colour, padEnd(printable(event.type), TYPE_COLUMNS)),
    printable(subjectOf(event.data)),
  ].join('  ')
}

/** What people call it, and how to get at it; kinds that this version does not know have these fields too. */
function subjectOf(data: object): string {
  const fields = data as Record<string, unknown>
  const name = fields['title'] ?? fields['name'] ?? fields['label'] ?? countOf(fields['chapters'])
  const id = fields['id'] ?? fields['uuid'] ?? fields['asset_id']
  const error = fields['error'] as { readonly detail?: unknown } | null | undefined
  return [id, name, error?.detail].filter((part) => part !== undefined && part !== null).join('  ')
}

const countOf = (chapters: unknown) =>
  Array.isArray(chapters) ? `${chapters.length} chapters` : undefined

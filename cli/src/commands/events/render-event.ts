import type { ReelkeepEvent } from 'reelkeep'
import type { Style } from '../../terminal/style.ts'
import { localTime } from '../../terminal/times.ts'
import { padEnd, padStart, printable, shortened, widthOf } from '../../terminal/width.ts'

/** Widths that fit most numbers and types; longer values shift only their own line. */
const NUMBER_COLUMNS = 5
const TYPE_COLUMNS = 24

/** Renders an event as one line: time, number, type, subject. */
export function renderEvent(event: ReelkeepEvent, { paint, columns }: Style): string {
  const color = /[.](failed|deleted|revoked|disabled|expired)$/.test(event.type) ? 'red' : 'cyan'
  const time = localTime(event.created_at)
  const number = padStart(String(event.number), NUMBER_COLUMNS)
  const type = padEnd(printable(event.type), TYPE_COLUMNS)
  const columnsLeft = (columns ?? Number.POSITIVE_INFINITY) - widthOf(`${time}  ${number}  ${type}  `)
  return [
    paint('gray', time),
    paint('gray', number),
    paint(color, type),
    renderSubject(event.data, Math.max(1, columnsLeft)),
  ].join('  ')
}

/** Renders title and id of the subject, or only the title if there is no room for both. */
function renderSubject(data: object, columnsLeft: number): string {
  const { id, texts } = subjectOf(data)
  const all = printable([id, ...texts].filter(isPresent).join('  '))
  if (widthOf(all) <= columnsLeft || texts.length === 0) return shortened(all, columnsLeft)
  return shortened(printable(texts.join('  ')), columnsLeft)
}

/** Reads fields that also exist in event types that are unknown to this version. */
function subjectOf(data: object) {
  const fields = data as Record<string, unknown>
  const name = fields['title'] ?? fields['name'] ?? fields['label'] ?? countOf(fields['chapters'])
  const id = fields['id'] ?? fields['uuid'] ?? fields['asset_id']
  const error = fields['error'] as { readonly detail?: unknown } | null | undefined
  return { id, texts: [name, error?.detail].filter(isPresent) }
}

const isPresent = (part: unknown) => part !== undefined && part !== null

const countOf = (chapters: unknown) => (Array.isArray(chapters) ? `${chapters.length} chapters` : undefined)

import type { ReelkeepEvent } from 'reelkeep'
import type { Look } from '../../terminal/look.ts'
import { localTime } from '../../terminal/times.ts'
import { padEnd, padStart, printable, shortened, widthOf } from '../../terminal/width.ts'

/** As wide as most numbers and names of kinds are; a longer one moves its own line alone. */
const NUMBER_COLUMNS = 5
const TYPE_COLUMNS = 24

/** One line, also in a terminal: when, its place in the log, what happened, and to what. */
export function drawEvent(event: ReelkeepEvent, { paint, columns }: Look): string {
  const colour = /[.](failed|deleted|revoked|disabled|expired)$/.test(event.type) ? 'red' : 'cyan'
  const time = localTime(event.created_at)
  const number = padStart(String(event.number), NUMBER_COLUMNS)
  const type = padEnd(printable(event.type), TYPE_COLUMNS)
  const room = (columns ?? Number.POSITIVE_INFINITY) - widthOf(`${time}  ${number}  ${type}  `)
  return [
    paint('gray', time),
    paint('gray', number),
    paint(colour, type),
    drawSubject(event.data, Math.max(1, room)),
  ].join('  ')
}

/**
 * What people call it, and how to get at it; where there is no room for both, a name tells more
 * than the beginning of an id.
 */
function drawSubject(data: object, room: number): string {
  const { id, words } = subjectOf(data)
  const all = printable([id, ...words].filter(isGiven).join('  '))
  if (widthOf(all) <= room || words.length === 0) return shortened(all, room)
  return shortened(printable(words.join('  ')), room)
}

/** Kinds that this version does not know have these fields too. */
function subjectOf(data: object) {
  const fields = data as Record<string, unknown>
  const name = fields['title'] ?? fields['name'] ?? fields['label'] ?? countOf(fields['chapters'])
  const id = fields['id'] ?? fields['uuid'] ?? fields['asset_id']
  const error = fields['error'] as { readonly detail?: unknown } | null | undefined
  return { id, words: [name, error?.detail].filter(isGiven) }
}

const isGiven = (part: unknown) => part !== undefined && part !== null

const countOf = (chapters: unknown) =>
  Array.isArray(chapters) ? `${chapters.length} chapters` : undefined

import type { events as contract } from '@reelkeep/contract'
import { refused } from '../../kernel/errors.ts'
import type { AssetId, EventId } from '../../kernel/ids.ts'
import type { Timestamp } from '../../kernel/time.ts'

/** An event to record. Its data has the field names of the API. */
export type NewEvent = contract.EventPayload & {
  /** Event id; generated if not given. */
  readonly id?: EventId
  /** Null if the event is not about an asset. */
  readonly assetId: AssetId | null
  /** Events of the same subject are delivered in order. The subject of all events about an asset is the asset. */
  readonly subject: string
}

/** An event in the log. */
export type LoggedEvent = {
  readonly number: number
  readonly id: EventId
  readonly type: string
  readonly assetId: AssetId | null
  readonly data: object
  readonly createdAt: Timestamp
}

/** An event about an asset or a part of it. */
export const aboutAsset = (assetId: AssetId, payload: contract.EventPayload): NewEvent => ({
  ...payload,
  assetId,
  subject: assetId,
})

/** An event about something that does not belong to an asset. */
export const about = (subject: string, payload: contract.EventPayload): NewEvent => ({
  ...payload,
  assetId: null,
  subject,
})

/** Which events to read. */
export type EventFilter = {
  /** Types such as `asset.completed` or `asset.*`; empty for all events. */
  readonly types: readonly string[]
  readonly assetId: AssetId | null
}

/** Converts event types to `like` patterns. Escapes the underscore in `upload_session`. */
export const patternsOf = (types: readonly string[]): string[] =>
  types.map((type) => type.replaceAll('_', '\\_').replace(/\*$/, '%'))

/** Throws if continuing after this number would skip events. */
export function assertInLog(after: number, { first, last, gaps }: LogBounds): void {
  const position = afterGaps(after, gaps)
  if (position < first - 1) {
    throw expired(
      `Events ${position + 1} to ${first - 1} have been deleted. Reload the data that you need, then continue with after=${first - 1}.`,
    )
  }
  // A client that has seen a higher number read the log before it was restored, or before a failover.
  if (after > last) throw lost(after, last)
  const gap = gapAt(after, gaps)
  if (gap) throw lost(after, gap.end)
}

const lost = (after: number, next: number) =>
  expired(
    `The database was restored or failed over after you read ${after}, and lost this event. Reload the data that you need, then continue with after=${next}.`,
  )

const gapAt = (number: number, gaps: readonly LogGap[]) => gaps.find(({ start, end }) => number > start && number < end)

/**
 * The end of the gaps that start at the position. A client that has read everything before a gap has missed nothing.
 */
const afterGaps = (position: number, gaps: readonly LogGap[]): number =>
  gaps.reduce((reached, { start, end }) => (start === reached ? end : reached), position)

/** The position itself, or the end of the gap that it is in. No event is skipped, because the gap has none. */
export const outsideGaps = (position: number, gaps: readonly LogGap[]): number => gapAt(position, gaps)?.end ?? position

/** The number after which the log has this many events, or all of them if it has fewer. */
export function numberBefore(count: number, { first, last, gaps }: LogBounds): number {
  let position = last - count
  for (const { start, end } of gaps.toReversed()) if (position < end) position -= end - start
  return Math.max(first - 1, position)
}

const expired = (detail: string) => refused('events_expired', detail, 'after')

/** First and last number in the log. In an empty log, `first` is the next number. */
export type LogBounds = { readonly first: number; readonly last: number; readonly gaps: readonly LogGap[] }

/** No event has a number between `start` and `end`: the log was at `start` after a failover, and continued at `end`. */
export type LogGap = { readonly start: number; readonly end: number }

import type { events as contract } from '@reelkeep/contract'
import { refused } from '../../kernel/errors.ts'
import type { AssetId, EventId } from '../../kernel/ids.ts'
import type { Timestamp } from '../../kernel/time.ts'

/** Something that happened, as it is told by whoever made it happen. Its data bears the names of the wire. */
export type NewEvent = contract.Told & {
  /** For who must know it beforehand; otherwise it gets one. */
  readonly id?: EventId
  /** Null of what is about no asset. */
  readonly assetId: AssetId | null
  /**
   * What it is about; of the same subject, events are told in their order. All that is about an
   * asset has the asset for its subject.
   */
  readonly subject: string
}

/** An event in its place in the log. */
export type LoggedEvent = {
  readonly number: number
  readonly id: EventId
  readonly type: string
  readonly assetId: AssetId | null
  readonly data: object
  readonly createdAt: Timestamp
}

/** Something about an asset, or about a part of it. */
export const aboutAsset = (assetId: AssetId, told: contract.Told): NewEvent => ({
  ...told,
  assetId,
  subject: assetId,
})

/** Something about a thing that belongs to no asset. */
export const about = (subject: string, told: contract.Told): NewEvent => ({
  ...told,
  assetId: null,
  subject,
})

/** What of the log somebody wants to see. */
export type EventFilter = {
  /** Such as `asset.completed` or `asset.*`; none means all. */
  readonly types: readonly string[]
  readonly assetId: AssetId | null
}

/** As Postgres compares them: the underscore of `upload_session` stands for itself. */
export const patternsOf = (types: readonly string[]): string[] =>
  types.map((type) => type.replaceAll('_', '\\_').replace(/\*$/, '%'))

/** Throws if going on from there would pass over events, or wait for numbers that have been given to others. */
export function assertInLog(after: number, { first, last }: Ends): void {
  if (after < first - 1) {
    throw expired(
      `The events from ${after + 1} to ${first - 1} are no longer kept. Read anew what you need to know, then go on with after=${first - 1}.`,
    )
  }
  // Whoever has seen such a number has seen a log that was since restored from a backup.
  if (after > last) {
    throw expired(
      `The log ends with ${last}. If you have seen ${after}, it was restored from a backup since: read anew what you need to know, then go on with after=${last}.`,
    )
  }
}

const expired = (detail: string) => refused('events_expired', detail, 'after')

/**
 * The first number of the log that is still kept, and the last; of an empty log the first is the
 * one that would be next.
 */
export type Ends = { readonly first: number; readonly last: number }

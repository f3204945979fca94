import type { AssetProgress, Event, EventData } from '../generated/contract.ts'

type EventOf<Kind, Data> = Omit<Event, 'type' | 'data'> & {
  readonly type: Kind
  readonly data: Data
}

/**
 * Placeholder for event types that a later version of the service may add. It is a literal type so that checking
 * `type` narrows `data` for the known types.
 */
type UnknownEvent = EventOf<'(event type of a later version)', Record<string, unknown>>

/** An event; `type` determines `data`. Ignore unknown types. */
export type ReelkeepEvent =
  | { [Kind in keyof EventData]: EventOf<Kind, EventData[Kind]> }[keyof EventData]
  | UnknownEvent

/**
 * Processing progress of a video. Sent on the stream only, without a number; the next progress event replaces a
 * missed one.
 */
export type ProgressEvent = {
  readonly type: 'asset.progress'
  readonly asset_id: string
  readonly data: AssetProgress
}

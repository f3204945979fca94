import type { AssetProgress, Event, EventData } from '../generated/contract.ts'

type EventOf<Kind, Data> = Omit<Event, 'type' | 'data'> & {
  readonly type: Kind
  readonly data: Data
}

/**
 * Stands for every kind that a later version of the service may add: `type` is then its name.
 * Written as a literal, for only then does asking for another `type` tell what is in `data`.
 */
type LaterEvent = EventOf<'(a kind that this version does not know)', Record<string, unknown>>

/** An event: its `type` tells what is in `data`. Pass over kinds that you do not know. */
export type ReelkeepEvent =
  | { [Kind in keyof EventData]: EventOf<Kind, EventData[Kind]> }[keyof EventData]
  | LaterEvent

/**
 * How far a video is. It is told on the stream only, has no number, and the next one makes up for
 * one that was missed.
 */
export type ProgressEvent = {
  readonly type: 'asset.progress'
  readonly asset_id: string
  readonly data: AssetProgress
}

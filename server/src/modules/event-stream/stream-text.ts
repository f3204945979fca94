/** Server-Sent Events format (HTML standard). */
import { events as contract } from '@reelkeep/contract'
import type { AssetId } from '../../kernel/ids.ts'
import { type EventFilter, type LoggedEvent, toEvent } from '../events/events.ts'

/** Delay before a client reconnects. */
const RECONNECT_MILLISECONDS = 2000

/** First text of a stream. A client that is disconnected before the first event resumes at this position. */
export const opening = (after: number): string => `retry: ${RECONNECT_MILLISECONDS}\nid: ${after}\n\n`

export const eventText = (event: LoggedEvent): string =>
  `id: ${event.number}\nevent: ${event.type}\ndata: ${JSON.stringify(toEvent(event))}\n\n`

/** A progress message has no `id`, because progress is not in the log. */
export function progressText(progress: contract.Progress): string {
  const data = { type: contract.PROGRESS_TYPE, asset_id: progress.id, data: progress }
  return `event: ${contract.PROGRESS_TYPE}\ndata: ${JSON.stringify(data)}\n\n`
}

/** A heartbeat contains the position, so that a reconnecting client does not scan filtered events again. */
export const heartbeat = (after: number): string => `: heartbeat\nid: ${after}\n\n`

/** Whether a stream with this filter gets the progress of an asset. */
export const wantsProgress = ({ types, assetId }: EventFilter, of: AssetId): boolean =>
  (assetId === null || assetId === of) &&
  (types.length === 0 || types.some((type) => type === 'asset.*' || type === contract.PROGRESS_TYPE))

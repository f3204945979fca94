/** Server-Sent Events format (HTML standard). */
import { events as contract } from '@reelkeep/contract'
import type { AssetId } from '../../kernel/ids.ts'
import { type EventFilter, type LoggedEvent, toEvent } from '../events/events.ts'

/** Delay before a client reconnects. */
const RECONNECT_MILLISECONDS = 2000

/** Starts with the position: a client disconnected before the first event resumes there. */
export const opening = (after: number): string =>
  `retry: ${RECONNECT_MILLISECONDS}\nid: ${after}\n\n`

export const eventText = (event: LoggedEvent): string =>
  `id: ${event.number}\nevent: ${event.type}\ndata: ${JSON.stringify(toEvent(event))}\n\n`

/** Without an `id`, because progress is not in the log. */
export function progressText(progress: contract.Progress): string {
  const data = { type: contract.PROGRESS_TYPE, asset_id: progress.id, data: progress }
  return `event: ${contract.PROGRESS_TYPE}\ndata: ${JSON.stringify(data)}\n\n`
}

/** Contains the position, so that a reconnecting client does not scan filtered events again. */
export const heartbeat = (after: number): string => `: still here\nid: ${after}\n\n`

/** Whether a stream with this filter gets the progress of an asset. */
export const wantsProgress = ({ types, assetId }: EventFilter, of: AssetId): boolean =>
  (assetId === null || assetId === of) &&
  (types.length === 0 ||
    types.some((type) => type === 'asset.*' || type === contract.PROGRESS_TYPE))

/** How a stream is written: Server-Sent Events, as the HTML standard defines them. */
import { events as contract } from '@reelkeep/contract'
import type { AssetId } from '../../../kernel/ids.ts'
import { toEvent } from '../event-form.rules.ts'
import type { EventFilter, LoggedEvent } from '../events.rules.ts'

/** How long a client waits before it connects again. */
const RECONNECT_MILLISECONDS = 2000

/** The place comes first: who is cut off before the first event goes on from it, and not from a later "now". */
export const opening = (after: number): string =>
  `retry: ${RECONNECT_MILLISECONDS}\nid: ${after}\n\n`

export const eventText = (event: LoggedEvent): string =>
  `id: ${event.number}\nevent: ${event.type}\ndata: ${JSON.stringify(toEvent(event))}\n\n`

/** Without an `id`: it has no place in the log. */
export function progressText(progress: contract.Progress): string {
  const told = { type: contract.PROGRESS_TYPE, asset_id: progress.id, data: progress }
  return `event: ${contract.PROGRESS_TYPE}\ndata: ${JSON.stringify(told)}\n\n`
}

/** With how far the stream has come: what the filter left out need not be looked through again, or be kept. */
export const heartbeat = (after: number): string => `: still here\nid: ${after}\n\n`

/** Whether somebody with this filter is told of an asset's progress. */
export const wantsProgress = ({ types, assetId }: EventFilter, of: AssetId): boolean =>
  (assetId === null || assetId === of) &&
  (types.length === 0 ||
    types.some((type) => type === 'asset.*' || type === contract.PROGRESS_TYPE))

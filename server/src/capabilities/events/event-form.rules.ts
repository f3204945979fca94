/** How an event looks to whoever is told of it: the same in the log, on the stream and in the body of a webhook. */
import type { events as contract } from '@reelkeep/contract'
import type { LoggedEvent } from './events.rules.ts'

export const toEvent = (event: LoggedEvent): contract.Event => ({
  id: event.id,
  number: event.number,
  type: event.type,
  asset_id: event.assetId,
  created_at: event.createdAt,
  data: event.data,
})

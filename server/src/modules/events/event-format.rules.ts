/** The JSON format of an event, the same in the log, in streams and in webhook requests. */
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

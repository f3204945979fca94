import type { Caller, QueryOf } from '../http/call.ts'
import { listOf } from '../http/list.ts'
import type { UnkeyedOptions } from '../http/settings.ts'

/** Deliveries of a webhook, identified by the id of their event. */
export const webhookDeliveries = ({ call }: Caller) => ({
  /** Lists deliveries, starting with the latest event. */
  list: (webhookId: string, query: QueryOf<'listDeliveries'> = {}, options?: UnkeyedOptions) =>
    listOf((cursor) =>
      call('listDeliveries', { params: { webhook_id: webhookId }, query: { ...query, ...cursor } }, options),
    ),

  read: (webhookId: string, eventId: string, options?: UnkeyedOptions) =>
    call('readDelivery', { params: { webhook_id: webhookId, delivery_id: eventId } }, options),

  /** Delivers the event again, whatever the earlier result. */
  replay: (webhookId: string, eventId: string, options?: UnkeyedOptions) =>
    call('replayDelivery', { params: { webhook_id: webhookId, delivery_id: eventId } }, options),
})

import type { Caller, QueryOf } from '../http/call.ts'
import { listOf } from '../http/list.ts'
import type { UnkeyedOptions } from '../http/settings.ts'

/** What a webhook was told, and what it answered. One of them is known by the id of its event. */
export const webhookDeliveries = ({ call }: Caller) => ({
  /** The last event first. */
  list: (webhookId: string, query: QueryOf<'listDeliveries'> = {}, options?: UnkeyedOptions) =>
    listOf((cursor) =>
      call(
        'listDeliveries',
        { params: { webhook_id: webhookId }, query: { ...query, ...cursor } },
        options,
      ),
    ),

  read: (webhookId: string, eventId: string, options?: UnkeyedOptions) =>
    call('readDelivery', { params: { webhook_id: webhookId, delivery_id: eventId } }, options),

  /** Has the event told again, whatever came of it before. */
  replay: (webhookId: string, eventId: string, options?: UnkeyedOptions) =>
    call('replayDelivery', { params: { webhook_id: webhookId, delivery_id: eventId } }, options),
})

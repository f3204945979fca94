import { webhookDeliveries as contract } from '@reelkeep/contract'
import type { EventId, WebhookId } from '../../../kernel/ids.ts'
import type { SortKey } from '../../../platform/db/paging/keyset.ts'
import { pageRequestOf, toUncountedPage } from '../../../platform/http/page.ts'
import { type Api, route } from '../../../platform/http/route.ts'
import { type OnSequenced, toEvent } from '../../events/events.ts'
import {
  type Attempt,
  type Delivery,
  type DeliveryDetails,
  listDeliveries,
  readDelivery,
  replayDelivery,
  replayEvents,
  testWebhook,
} from './webhook-deliveries.ts'

export function registerDeliveryRoutes(api: Api, onSequenced: OnSequenced): void {
  route(api, contract.testWebhook, async ({ db, params }) =>
    toWire(await testWebhook(onSequenced, db, params.webhook_id as WebhookId)),
  )

  route(api, contract.listDeliveries, async ({ db, params, query, listUrl }) => {
    const input = { webhookId: params.webhook_id as WebhookId, state: query.state }
    const page = await listDeliveries(db, input, pageRequestOf(query, isNumberKey))
    return toUncountedPage(listUrl, page, toWire)
  })

  route(api, contract.readDelivery, async ({ db, params }) =>
    toDetails(await readDelivery(db, params.webhook_id as WebhookId, params.delivery_id as EventId)),
  )

  route(api, contract.replayDelivery, async ({ db, params }) =>
    toWire(await replayDelivery(db, params.webhook_id as WebhookId, params.delivery_id as EventId)),
  )

  route(api, contract.replayEvents, async ({ db, params, body }) => {
    const { since, until, after, before } = body
    const webhookId = params.webhook_id as WebhookId
    const input = { webhookId, since, until, after, before }
    return { replayed: await replayEvents(onSequenced, db, input) }
  })
}

/** Whether the sort key is a single number, with few enough digits for a safe integer. */
const isNumberKey = ([number, ...rest]: SortKey) =>
  number !== undefined && /^\d{1,15}$/.test(number) && rest.length === 0

const toWire = (delivery: Delivery): contract.Delivery => ({
  event_id: delivery.eventId,
  number: delivery.number,
  type: delivery.type,
  state: delivery.state,
  attempt_count: delivery.attemptCount,
  next_attempt_at: delivery.nextAttemptAt,
  created_at: delivery.createdAt,
  ended_at: delivery.endedAt,
})

function toDetails(details: DeliveryDetails): contract.DeliveryDetails {
  const { delivery, event, attempts, url } = details
  const [last] = attempts
  const headers = { 'content-type': 'application/json', 'webhook-id': event.id }
  return {
    ...toWire(delivery),
    request: {
      url,
      headers: last ? { ...headers, 'webhook-timestamp': toSeconds(last.at) } : headers,
      body: toEvent(event),
    },
    attempts: attempts.map(toAttempt),
  }
}

/** Formats a time as the request header does: whole seconds since 1970. */
const toSeconds = (at: string) => String(Math.floor(Date.parse(at) / 1000))

const toAttempt = ({ at, milliseconds, status, answer, error }: Attempt) => ({
  at,
  milliseconds,
  status,
  answer,
  error,
})

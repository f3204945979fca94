/** Deliveries to a webhook: their log, and replays. */
import { webhookDeliveries as contract } from '@reelkeep/contract'
import { refused, retryLater } from '../../../kernel/errors.ts'
import { type EventId, newEventId, type WebhookId } from '../../../kernel/ids.ts'
import type { OrganizationDb } from '../../../platform/db/database.ts'
import { type PageRequest, type RowPage, toRowPage } from '../../../platform/db/paging/keyset.ts'
import { about, type LoggedEvent, type OnSequenced, recordEvents, sequenceEvents } from '../../events/events.ts'
import { assertEnabled, type Webhook } from '../webhooks.rules.ts'
import { wakeQuery } from '../webhooks.store.ts'
import { requireWebhook } from '../webhooks.ts'
import { assertNotTooMany, type ReplayInput, toRange } from './replay.rules.ts'
import { replayRange } from './replay.store.ts'
import * as store from './webhook-deliveries.store.ts'

export type { Attempt, Delivery } from './webhook-deliveries.store.ts'

/** A delivery with its event and its attempts, newest first. */
export type DeliveryDetails = {
  readonly delivery: store.Delivery
  readonly event: LoggedEvent
  readonly attempts: readonly store.Attempt[]
  readonly url: string
}

export async function listDeliveries(
  db: OrganizationDb,
  filter: { readonly webhookId: WebhookId; readonly state: contract.DeliveryState | undefined },
  request: PageRequest,
): Promise<RowPage<store.Delivery>> {
  await requireWebhook(db, filter.webhookId)
  const rows = await store.selectDeliveries(db, filter, request)
  return toRowPage(rows, request, ({ number }) => [String(number)])
}

export async function readDelivery(
  db: OrganizationDb,
  webhookId: WebhookId,
  eventId: EventId,
): Promise<DeliveryDetails> {
  const webhook = await requireWebhook(db, webhookId)
  const found = await store.findDeliveryDetails(db, { webhookId, eventId })
  if (!found) throw deliveryNotFound()
  const { attempts, assetId, data, eventCreatedAt, ...delivery } = found
  const { number, type } = delivery
  const event = { id: eventId, number, type, assetId, data, createdAt: eventCreatedAt }
  return { delivery, event, attempts, url: attempts[0]?.url ?? webhook.url }
}

/** Sends a test event to this webhook only. It is delivered like any other event. */
export async function testWebhook(
  onSequenced: OnSequenced,
  db: OrganizationDb,
  webhookId: WebhookId,
): Promise<store.Delivery> {
  await requireEnabled(db, webhookId)
  const eventId = newEventId()
  // Each test event has its own subject, so it neither waits for another event nor delays one.
  const test = about(eventId, { type: 'webhook.test', data: { id: webhookId } })
  await recordEvents(db, { ...test, id: eventId })
  await sequenceEvents(db, onSequenced)
  await db.run(wakeQuery(webhookId))
  const delivery = await store.findDelivery(db, { webhookId, eventId })
  if (delivery) return delivery
  await requireEnabled(db, webhookId)
  throw retryLater('unavailable', 'Too many events are waiting to be sequenced. Retry in 5 seconds.', 5)
}

/** Delivers one event again at once. */
export async function replayDelivery(
  db: OrganizationDb,
  webhookId: WebhookId,
  eventId: EventId,
): Promise<store.Delivery> {
  await requireEnabled(db, webhookId)
  const delivery = await store.repeatDelivery(db, { webhookId, eventId })
  if (!delivery) throw deliveryNotFound()
  return delivery
}

/**
 * Delivers all events of a range of the log that the webhook subscribes to, whether they were delivered before or
 * not. Returns their number.
 */
export async function replayEvents(
  onSequenced: OnSequenced,
  db: OrganizationDb,
  { webhookId, ...input }: ReplayInput & { readonly webhookId: WebhookId },
): Promise<number> {
  const range = toRange(input)
  await requireEnabled(db, webhookId)
  await sequenceEvents(db, onSequenced)
  const found = await replayRange(db, {
    ...range,
    webhookId,
    limit: contract.REPLAY_EVENTS_MAX,
  })
  assertNotTooMany(found)
  return found
}

async function requireEnabled(db: OrganizationDb, id: WebhookId): Promise<Webhook> {
  const webhook = await requireWebhook(db, id)
  assertEnabled(webhook)
  return webhook
}

const deliveryNotFound = () =>
  refused(
    'delivery_not_found',
    'This event was never queued for this webhook, or is no longer stored. If it is in the event log, deliver it with `replay/`.',
  )

/** What is told to a webhook: the log of it, and having it told again. */
import { webhookDeliveries as contract } from '@reelkeep/contract'
import { notNow, refused } from '../../../kernel/errors.ts'
import { type EventId, newEventId, type WebhookId } from '../../../kernel/ids.ts'
import type { OrganizationDb } from '../../../platform/db/database.ts'
import { type PageRequest, type RowPage, toRowPage } from '../../../platform/db/keyset.ts'
import {
  about,
  type LoggedEvent,
  type OnNumbered,
  recordEvents,
  settleEvents,
} from '../../events/events.ts'
import { assertEnabled, type Webhook } from '../webhooks.rules.ts'
import { wakeQuery } from '../webhooks.store.ts'
import { requireWebhook } from '../webhooks.ts'
import { assertNotTooMany, type ReplayWish, toStretch } from './replay.rules.ts'
import { replayStretch } from './replay.store.ts'
import * as store from './webhook-deliveries.store.ts'

export type { Attempt, Delivery } from './webhook-deliveries.store.ts'

/** A delivery with what is told, and each time that it was tried, newest first. */
export type WholeDelivery = {
  readonly delivery: store.Delivery
  readonly event: LoggedEvent
  readonly attempts: readonly store.Attempt[]
  readonly url: string
}

export async function listDeliveries(
  db: OrganizationDb,
  wish: { readonly webhookId: WebhookId; readonly state: contract.DeliveryState | undefined },
  request: PageRequest,
): Promise<RowPage<store.Delivery>> {
  await requireWebhook(db, wish.webhookId)
  const rows = await store.selectDeliveries(db, wish, request)
  return toRowPage(rows, request, ({ number }) => [String(number)])
}

export async function readDelivery(
  db: OrganizationDb,
  webhookId: WebhookId,
  eventId: EventId,
): Promise<WholeDelivery> {
  const webhook = await requireWebhook(db, webhookId)
  const found = await store.findWholeDelivery(db, { webhookId, eventId })
  if (!found) throw deliveryNotFound()
  const { attempts, assetId, data, happenedAt, ...delivery } = found
  const { number, type } = delivery
  const event = { id: eventId, number, type, assetId, data, createdAt: happenedAt }
  return { delivery, event, attempts, url: attempts[0]?.url ?? webhook.url }
}

/** Has an event told to this webhook alone, by the same way as all others. */
export async function testWebhook(
  onNumbered: OnNumbered,
  db: OrganizationDb,
  webhookId: WebhookId,
): Promise<store.Delivery> {
  await requireEnabled(db, webhookId)
  const eventId = newEventId()
  // A subject of its own: it waits behind nothing, neither does the next test wait behind it.
  const test = about(eventId, { type: 'webhook.test', data: { id: webhookId } })
  await recordEvents(db, { ...test, id: eventId })
  await settleEvents(db, onNumbered)
  await db.run(wakeQuery(webhookId))
  const delivery = await store.findDelivery(db, { webhookId, eventId })
  if (delivery) return delivery
  await requireEnabled(db, webhookId)
  throw notNow('unavailable', 'So many events wait for their numbers that this one does, too.', 5)
}

/** Has one event told again, at once. */
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
 * Has all events of a stretch of the log told that the webhook wants, whether they were before or
 * not. Answers how many.
 */
export async function replayEvents(
  onNumbered: OnNumbered,
  db: OrganizationDb,
  webhookId: WebhookId,
  wish: ReplayWish,
): Promise<number> {
  const stretch = toStretch(wish)
  await requireEnabled(db, webhookId)
  await settleEvents(db, onNumbered)
  const found = await replayStretch(db, { ...stretch, webhookId, limit: contract.REPLAYED_MAX })
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
    'This event was never to be told to this webhook, or is no longer kept. If it is in the log, `replay/` has it told.',
  )

import type { webhookDeliveries as contract } from '@reelkeep/contract'
import { sql } from 'kysely'
import type { AssetId, EventId, WebhookId } from '../../../kernel/ids.ts'
import type { Timestamp } from '../../../kernel/time.ts'
import type { OrganizationDb } from '../../../platform/db/database.ts'
import type { PageRequest } from '../../../platform/db/paging/keyset.ts'
import { keysetQuery } from '../../../platform/db/paging/keyset-query.ts'
import { customPlan, dedicatedConnection, type Given, statement } from '../../../platform/db/statement.ts'
import { isEnabled, wakeQuery } from '../webhooks.store.ts'

/** The delivery of an event to a webhook, and its state. */
export type Delivery = {
  readonly eventId: EventId
  readonly number: number
  readonly type: string
  readonly state: contract.DeliveryState
  readonly attemptCount: number
  readonly nextAttemptAt: Timestamp | null
  readonly createdAt: Timestamp
  readonly endedAt: Timestamp | null
}

export type Attempt = {
  readonly at: Timestamp
  readonly url: string
  readonly milliseconds: number
  readonly status: number | null
  readonly answer: string | null
  readonly error: string | null
}

/** The event of a delivery. */
export type EventContent = {
  readonly assetId: AssetId | null
  readonly data: object
  readonly eventCreatedAt: Timestamp
}

type WebhookKey = { readonly webhookId: WebhookId }
type DeliveryKey = WebhookKey & { readonly eventId: EventId }

/** Maximum number of attempts shown. Replays may add to the attempts of the retry period. */
const ATTEMPTS_SHOWN_MAX = 100

// A delivery waits for its own delay and for the pause of the webhook.
const nextAttempt = sql`case when delivery.due_at is not null then (
  select case when ${isEnabled('hook')} then greatest(delivery.due_at, hook.rests_until) end from webhooks as hook
  where hook.organization_id = delivery.organization_id and hook.id = delivery.webhook_id) end`

const columns = sql`event_id as "eventId", delivery.number, delivery.type, state, attempts as "attemptCount",
  ${nextAttempt} as "nextAttemptAt", delivery.created_at as "createdAt", ended_at as "endedAt"`

const inOrder = { columns: ['number'], direction: 'desc' } as const

const readAll = keysetQuery(
  inOrder,
  ({ organizationId, webhookId }: Given<WebhookKey>, { afterPosition, order, limit }) => sql<Delivery>`
    select ${columns} from webhook_deliveries as delivery
    where organization_id = ${organizationId} and webhook_id = ${webhookId} and ${afterPosition} ${order} limit ${limit}`,
)

/** Planned for each call: the best plan depends on whether few or nearly all deliveries are in the requested state. */
const readInState = customPlan(
  keysetQuery(
    inOrder,
    (
      { organizationId, webhookId, state }: Given<WebhookKey & { state: string }>,
      { afterPosition, order, limit },
    ) => sql<Delivery>`
      select ${columns} from webhook_deliveries as delivery
      where organization_id = ${organizationId} and webhook_id = ${webhookId} and state = ${state} and ${afterPosition}
      ${order} limit ${limit}`,
  ),
)

const byEvent = statement(
  ({ organizationId, webhookId, eventId }: Given<DeliveryKey>) => sql<Delivery>`
    select ${columns} from webhook_deliveries as delivery
    where organization_id = ${organizationId} and webhook_id = ${webhookId} and event_id = ${eventId}`,
)

const withEvent = statement(
  ({ organizationId, webhookId, eventId }: Given<DeliveryKey>) => sql<Delivery & EventContent>`
    select ${columns}, asset_id as "assetId", data, event.created_at as "eventCreatedAt"
    from webhook_deliveries as delivery join events as event using (organization_id, number, numbered_at)
    where organization_id = ${organizationId} and webhook_id = ${webhookId} and event_id = ${eventId}`,
)

const attemptsOf = statement(
  ({ organizationId, webhookId, eventId, limit }: Given<DeliveryKey & { limit: number }>) => sql<Attempt>`
    select at, url, milliseconds, attempt.status, answer, error
    from webhook_deliveries as delivery join webhook_attempts as attempt using (organization_id, webhook_id, number, numbered_at)
    where organization_id = ${organizationId} and webhook_id = ${webhookId} and event_id = ${eventId}
    order by attempt.attempt desc limit ${limit}`,
)

/** Restarts a delivery: keeps its attempts, and starts a new retry period. */
export const restarted = sql`state = 'waiting', due_at = now(), ended_at = null, refusals = 0, created_at = now()`

const repeat = dedicatedConnection(
  statement(
    ({ organizationId, webhookId, eventId }: Given<DeliveryKey>) => sql<Delivery>`
      update webhook_deliveries as delivery set ${restarted}
      where organization_id = ${organizationId} and webhook_id = ${webhookId} and event_id = ${eventId}
      returning ${columns}`,
  ),
)

// Skips locked rows to avoid deadlocks: their deliveries are about to get a result.
const makeDue = dedicatedConnection(
  statement(
    ({ organizationId, webhookId, limit }: Given<WebhookKey & { limit: number }>) => sql`
      update webhook_deliveries set due_at = now()
      where organization_id = ${organizationId} and webhook_id = ${webhookId} and state = 'waiting'
        and (number, numbered_at) in (
          select number, numbered_at from webhook_deliveries
          where organization_id = ${organizationId} and webhook_id = ${webhookId} and state = 'waiting' and due_at > now()
          order by due_at limit ${limit} for update skip locked)`,
  ),
)

export async function selectDeliveries(
  db: OrganizationDb,
  { webhookId, state }: WebhookKey & { readonly state: contract.DeliveryState | undefined },
  request: PageRequest,
): Promise<Delivery[]> {
  const [rows] = await db.run(
    state === undefined ? readAll({ webhookId }, request) : readInState({ webhookId, state }, request),
  )
  return rows
}

export async function findDelivery(db: OrganizationDb, where: DeliveryKey): Promise<Delivery | undefined> {
  const [[row]] = await db.run(byEvent(where))
  return row
}

/** A delivery with its attempts, newest first. */
export async function findDeliveryDetails(
  db: OrganizationDb,
  where: DeliveryKey,
): Promise<(Delivery & EventContent & { readonly attempts: readonly Attempt[] }) | undefined> {
  const [[row], attempts] = await db.run(withEvent(where), attemptsOf({ ...where, limit: ATTEMPTS_SHOWN_MAX }))
  return row && { ...row, attempts }
}

/** Delivers the event again at once. */
export async function repeatDelivery(db: OrganizationDb, where: DeliveryKey): Promise<Delivery | undefined> {
  const [[row]] = await db.run(repeat(where), wakeQuery(where.webhookId))
  return row
}

/** Makes delayed deliveries due at once. */
export async function makeDeliveriesDue(tx: OrganizationDb, webhookId: WebhookId, limit: number): Promise<void> {
  await tx.send(makeDue({ webhookId, limit }))
}

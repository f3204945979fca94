/** Results of attempts, and disabling. Written only by the worker that has claimed the webhook. */
import { sql } from 'kysely'
import type { OrganizationDb } from '../../platform/db/database.ts'
import { dedicatedConnection, type Given, type Query, statement } from '../../platform/db/statement.ts'
import type { Claim, DueEvent } from './claims.store.ts'
import type { DisableReason, Outcome } from './delivery.rules.ts'

/** A request and its response. */
export type Attempt = {
  readonly url: string
  readonly milliseconds: number
  readonly status: number | null
  readonly answer: string | null
  readonly error: string | null
}

/** The result of a delivery, as it is written. */
export type Result = {
  readonly attempt: Attempt
  readonly delivery: Outcome['delivery']
  /** The new health of the webhook; undefined if it is certainly unchanged. */
  readonly webhook: Outcome['webhook'] | undefined
}

/** An event and the result of an attempt to deliver it. */
export type DeliveredEvent = { readonly due: DueEvent; readonly result: Result }

type Recorded = Claim &
  Attempt &
  Pick<DueEvent, 'number' | 'sequencedAt' | 'attempts' | 'failures'> & {
    readonly state: string
    readonly backoffSeconds: number | null
  }

const isClaimed = ({ organizationId, workerId, webhookId }: Given<Claim>) => sql<boolean>`exists (
  select from webhooks where organization_id = ${organizationId} and id = ${webhookId} and worker_id = ${workerId})`

// If the number of attempts has changed, another attempt was made, and nothing is written.
const record = statement(
  (given: Given<Recorded>) => sql<{ number: number }>`
    with recorded as (
      update webhook_deliveries set state = ${given.state}::text, attempts = attempts + 1, refusals = ${given.failures}::integer,
        due_at = now() + make_interval(secs => ${given.backoffSeconds}::float8),
        ended_at = case when ${given.state}::text <> 'waiting' then now() end
      where organization_id = ${given.organizationId} and webhook_id = ${given.webhookId}
        and number = ${given.number}::bigint and numbered_at = ${given.sequencedAt}::timestamptz
        and state = 'waiting' and attempts = ${given.attempts}::integer
        and ${isClaimed(given)}
      returning attempts
    )
    insert into webhook_attempts
      (organization_id, webhook_id, number, numbered_at, attempt, at, url, milliseconds, status, answer, error)
    select ${given.organizationId}, ${given.webhookId}::uuid, ${given.number}::bigint, ${given.sequencedAt}::timestamptz, attempts,
      now() - make_interval(secs => ${given.milliseconds}::float8 / 1000), ${given.url}::text, ${given.milliseconds}::integer,
      ${given.status}::integer, ${given.answer}::text, ${given.error}::text
    from recorded
    returning number`,
)

// Makes the events due that were delayed behind an event of the same subject; there may be thousands. Rows are locked
// in the order of their numbers, as in all statements.
const unblock = dedicatedConnection(
  statement(
    (given: Given<Claim & { readonly subject: string }>) => sql<object>`
    with behind as materialized (
      select number, numbered_at from webhook_deliveries
      where organization_id = ${given.organizationId} and webhook_id = ${given.webhookId} and subject = ${given.subject}
        and state = 'waiting' and due_at > now() and ${isClaimed(given)}
      order by number for no key update
    )
    update webhook_deliveries as delivery set due_at = now() from behind
    where delivery.organization_id = ${given.organizationId} and delivery.webhook_id = ${given.webhookId}
      and delivery.number = behind.number and delivery.numbered_at = behind.numbered_at and delivery.state = 'waiting'`,
  ),
)

const updateWebhook = ({ organizationId, webhookId, workerId }: Given<Claim>, changes: ReturnType<typeof sql>) =>
  sql<object>`
    update webhooks set ${changes}
    where organization_id = ${organizationId} and id = ${webhookId} and worker_id = ${workerId}`

const markHealthy = statement((given: Given<Claim>) =>
  updateWebhook(given, sql`failing_since = null, silences = 0, rests_until = null`),
)

const markFailing = statement((given: Given<Claim>) =>
  updateWebhook(given, sql`failing_since = coalesce(failing_since, now())`),
)

type Pause = Claim & { readonly backoffSeconds: number }

const backoff = ({ backoffSeconds }: Given<Pause>) => sql`make_interval(secs => ${backoffSeconds}::float8)`
const pausedUntil = (given: Given<Pause>) =>
  sql`rests_until = now() + ${backoff(given)}, due_at = now() + ${backoff(given)}`

const pause = statement((given: Given<Pause & { readonly noResponses: number }>) => {
  const failing = sql`failing_since = coalesce(failing_since, now()), silences = ${given.noResponses}::integer`
  return updateWebhook(given, sql`${failing}, ${pausedUntil(given)}`)
})

// During an internal pause no request can succeed, so that time does not count as failing.
const pauseInternally = statement((given: Given<Pause>) =>
  updateWebhook(given, sql`failing_since = failing_since + ${backoff(given)}, ${pausedUntil(given)}`),
)

const delay = statement(
  (given: Given<Pause & Pick<DueEvent, 'number' | 'sequencedAt'>>) => sql<object>`
    update webhook_deliveries set due_at = now() + ${backoff(given)}
    where organization_id = ${given.organizationId} and webhook_id = ${given.webhookId}
      and number = ${given.number}::bigint and numbered_at = ${given.sequencedAt}::timestamptz and state = 'waiting'
      and ${isClaimed(given)}`,
)

/** Pauses the webhook and delays the events after an internal error. */
export function internalErrorQueries(
  claim: Claim,
  events: readonly DueEvent[],
  backoffSeconds: number,
): Query<unknown>[] {
  const paused = { ...claim, backoffSeconds }
  const inOrder = events.toSorted((one, other) => one.number - other.number)
  return [
    ...inOrder.map(({ number, sequencedAt }) => delay({ ...paused, number, sequencedAt })),
    pauseInternally(paused),
  ]
}

/**
 * Writes the attempts and the new states of the events and the webhook. `delivered` is in the order of arrival. The
 * first queries, one for each event, return a row if the result was written.
 */
export function resultQueries(claim: Claim, delivered: readonly DeliveredEvent[]): Query<unknown>[] {
  const inOrder = delivered.toSorted((one, other) => one.due.number - other.due.number)
  return [
    ...inOrder.map((one) => recordQuery(claim, one)),
    ...inOrder.flatMap((one) => unblockQueries(claim, one)),
    ...delivered.flatMap(({ result }) => webhookQueries(claim, result.webhook)),
  ]
}

function recordQuery(claim: Claim, { due, result }: DeliveredEvent): Query<unknown> {
  const { number, sequencedAt, attempts, failures } = due
  const { attempt, delivery } = result
  const recorded = { ...claim, ...attempt, number, sequencedAt, attempts }
  return delivery.state === 'waiting'
    ? record({ ...recorded, ...delivery })
    : record({ ...recorded, failures, state: delivery.state, backoffSeconds: null })
}

/** After the first attempt at an event, no other event has been delayed behind it. */
const unblockQueries = (claim: Claim, { due, result }: DeliveredEvent): Query<unknown>[] =>
  due.attempts > 0 && result.delivery.state !== 'waiting' ? [unblock({ ...claim, subject: due.subject })] : []

function webhookQueries(claim: Claim, webhook: Result['webhook']): Query<unknown>[] {
  if (!webhook) return []
  if (webhook.health === 'healthy') return [markHealthy(claim)]
  if (webhook.health === 'failing') return [markFailing(claim)]
  const { noResponses, backoffSeconds } = webhook
  return [pause({ ...claim, noResponses, backoffSeconds })]
}

const disable = statement(
  ({ organizationId, webhookId, workerId, because }: Given<Claim & { because: DisableReason }>) => sql<object>`
    update webhooks set disabled_at = now(), disabled_because = ${because}, updated_at = now(), worker_id = null
    where organization_id = ${organizationId} and id = ${webhookId} and worker_id = ${workerId} and disabled_at is null
    returning id`,
)

/** Disables the webhook if this worker has claimed it. Returns whether it did. */
export async function disableWebhook(tx: OrganizationDb, claim: Claim, because: DisableReason): Promise<boolean> {
  const [rows] = await tx.run(disable({ ...claim, because }))
  return rows.length > 0
}

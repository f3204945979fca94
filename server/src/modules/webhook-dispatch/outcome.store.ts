/** Results of attempts. Written only by the worker that has claimed the webhook. */
import { sql } from 'kysely'
import type { Timestamp } from '../../kernel/time.ts'
import {
  dedicatedConnection,
  type Given,
  type Query,
  statement,
} from '../../platform/db/statement.ts'
import type { Holding } from './claims.store.ts'
import type { Outcome } from './delivery.rules.ts'

/** An attempt and its response. */
export type Attempt = {
  readonly number: number
  readonly numberedAt: Timestamp
  /** Number of previous attempts; if it differs, another attempt was made, and nothing is written. */
  readonly attempts: number
  readonly url: string
  readonly milliseconds: number
  readonly status: number | null
  readonly answer: string | null
  readonly error: string | null
}

type Written = Holding &
  Attempt & {
    readonly state: string
    readonly refusals: number
    readonly restSeconds: number | null
  }

const isMine = (
  organizationId: string,
  workerId: string,
  webhookId: string,
) => sql<boolean>`exists (
  select from webhooks where organization_id = ${organizationId} and id = ${webhookId} and worker_id = ${workerId})`

const record = statement(
  (given: Given<Written>) => sql<{ number: number }>`
    with told as (
      update webhook_deliveries set state = ${given.state}::text, attempts = attempts + 1, refusals = ${given.refusals}::integer,
        due_at = now() + make_interval(secs => ${given.restSeconds}::float8),
        ended_at = case when ${given.state}::text <> 'waiting' then now() end
      where organization_id = ${given.organizationId} and webhook_id = ${given.webhookId}
        and number = ${given.number}::bigint and numbered_at = ${given.numberedAt}::timestamptz
        and state = 'waiting' and attempts = ${given.attempts}::integer
        and ${isMine(given.organizationId, given.workerId, given.webhookId)}
      returning attempts
    )
    insert into webhook_attempts
      (organization_id, webhook_id, number, numbered_at, attempt, at, url, milliseconds, status, answer, error)
    select ${given.organizationId}, ${given.webhookId}::uuid, ${given.number}::bigint, ${given.numberedAt}::timestamptz, attempts,
      now() - make_interval(secs => ${given.milliseconds}::float8 / 1000), ${given.url}::text, ${given.milliseconds}::integer,
      ${given.status}::integer, ${given.answer}::text, ${given.error}::text
    from told
    returning number`,
)

type Behind = Holding & { readonly subject: string }

// Thousands may have been delayed behind it. Rows are locked in the order of their numbers, like everywhere.
const release = dedicatedConnection(
  statement(
    ({ organizationId, webhookId, workerId, subject }: Given<Behind>) => sql<object>`
    with behind as materialized (
      select number, numbered_at from webhook_deliveries
      where organization_id = ${organizationId} and webhook_id = ${webhookId} and subject = ${subject}
        and state = 'waiting' and due_at > now() and ${isMine(organizationId, workerId, webhookId)}
      order by number for no key update
    )
    update webhook_deliveries as delivery set due_at = now() from behind
    where delivery.organization_id = ${organizationId} and delivery.webhook_id = ${webhookId}
      and delivery.number = behind.number and delivery.numbered_at = behind.numbered_at and delivery.state = 'waiting'`,
  ),
)

const forgive = statement(
  ({ organizationId, webhookId, workerId }: Given<Holding>) => sql<object>`
    update webhooks set failing_since = null, silences = 0, rests_until = null
    where organization_id = ${organizationId} and id = ${webhookId} and worker_id = ${workerId}`,
)

const noteFailure = statement(
  ({ organizationId, webhookId, workerId }: Given<Holding>) => sql<object>`
    update webhooks set failing_since = coalesce(failing_since, now())
    where organization_id = ${organizationId} and id = ${webhookId} and worker_id = ${workerId}`,
)

type Rest = Holding & { readonly silences: number; readonly restSeconds: number }

const noteRest = statement(
  ({ organizationId, webhookId, workerId, silences, restSeconds }: Given<Rest>) => sql<object>`
    update webhooks set failing_since = coalesce(failing_since, now()), silences = ${silences}::integer,
      rests_until = now() + make_interval(secs => ${restSeconds}::float8),
      due_at = now() + make_interval(secs => ${restSeconds}::float8)
    where organization_id = ${organizationId} and id = ${webhookId} and worker_id = ${workerId}`,
)

type Blameless = Holding & { readonly restSeconds: number }

// During an internal pause it cannot succeed, so that time does not count as failing.
const restBlameless = statement(
  ({ organizationId, webhookId, workerId, restSeconds }: Given<Blameless>) => sql<object>`
    update webhooks set failing_since = failing_since + make_interval(secs => ${restSeconds}::float8),
      rests_until = now() + make_interval(secs => ${restSeconds}::float8),
      due_at = now() + make_interval(secs => ${restSeconds}::float8)
    where organization_id = ${organizationId} and id = ${webhookId} and worker_id = ${workerId}`,
)

type Postponed = Pick<Attempt, 'number' | 'numberedAt'>

const postpone = statement(
  (given: Given<Blameless & Postponed>) => sql<object>`
    update webhook_deliveries set due_at = now() + make_interval(secs => ${given.restSeconds}::float8)
    where organization_id = ${given.organizationId} and webhook_id = ${given.webhookId}
      and number = ${given.number}::bigint and numbered_at = ${given.numberedAt}::timestamptz and state = 'waiting'
      and ${isMine(given.organizationId, given.workerId, given.webhookId)}`,
)

/** Pauses the webhook and delays the event after an internal error. */
export function blamelessQueries(
  holding: Holding,
  due: Postponed | undefined,
  restSeconds: number,
): Query<unknown>[] {
  const rest = { ...holding, restSeconds }
  if (!due) return [restBlameless(rest)]
  const { number, numberedAt } = due
  return [postpone({ ...rest, number, numberedAt }), restBlameless(rest)]
}

/** Writes the attempt and the new state of the event. The first query returns a row if it was written. */
export function deliveryQueries(
  holding: Holding,
  attempt: Attempt & { readonly subject: string; readonly refusals: number },
  delivery: Outcome['delivery'],
): Query<unknown>[] {
  const { subject, refusals, ...tried } = attempt
  if (delivery.state === 'waiting') return [record({ ...holding, ...tried, ...delivery })]
  const ended = record({ ...holding, ...tried, refusals, state: delivery.state, restSeconds: null })
  // No event was delayed behind one that was never delayed.
  return attempt.attempts > 0 ? [ended, release({ ...holding, subject })] : [ended]
}

/** Previous state of the webhook; it may be failing without being known to. */
type Before = {
  readonly isFailing: boolean
  readonly hasRested: boolean
  readonly mayBeFailing: boolean
}

/** Writes the new state of the webhook, unless it is certainly unchanged. */
export function webhookQueries(
  holding: Holding,
  before: Before,
  after: Outcome['webhook'],
): Query<unknown>[] {
  if (after.is === 'resting') {
    const { silences, restSeconds } = after
    return [noteRest({ ...holding, silences, restSeconds })]
  }
  const { isFailing, hasRested, mayBeFailing } = before
  if (after.is === 'well') return isFailing || hasRested || mayBeFailing ? [forgive(holding)] : []
  return isFailing ? [] : [noteFailure(holding)]
}

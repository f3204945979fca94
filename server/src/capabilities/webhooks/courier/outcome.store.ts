/** What came of an attempt. Written by whoever has the webhook in hand, and by nobody else. */
import { sql } from 'kysely'
import type { Timestamp } from '../../../kernel/time.ts'
import { type Given, type Query, statement, takesLong } from '../../../platform/db/statement.ts'
import type { Outcome } from './courier.rules.ts'
import type { Holding } from './courier.store.ts'

/** One try, and what came back. */
export type Attempt = {
  readonly number: number
  readonly numberedAt: Timestamp
  /** How many there were before; whoever counts otherwise has missed one, and writes nothing. */
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

// Thousands may have rested behind it. They are taken in the order of their numbers, as by everybody.
const release = takesLong(
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

// For as long as it rests it cannot succeed: that time does not count as failing.
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

/** The webhook rests, and the event lets others go first, though nobody has failed but we. */
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

/** The attempt and what became of the event. The first answers a row if it was written. */
export function deliveryQueries(
  holding: Holding,
  attempt: Attempt & { readonly subject: string; readonly refusals: number },
  delivery: Outcome['delivery'],
): Query<unknown>[] {
  const { subject, refusals, ...tried } = attempt
  if (delivery.state === 'waiting') return [record({ ...holding, ...tried, ...delivery })]
  const ended = record({ ...holding, ...tried, refusals, state: delivery.state, restSeconds: null })
  // Nobody has rested behind one that never did.
  return attempt.attempts > 0 ? [ended, release({ ...holding, subject })] : [ended]
}

/** How a webhook stood before; it may be failing although it is not known to. */
type Before = {
  readonly isFailing: boolean
  readonly hasRested: boolean
  readonly mayBeFailing: boolean
}

/** What became of the webhook; nothing is written that surely is so already. */
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

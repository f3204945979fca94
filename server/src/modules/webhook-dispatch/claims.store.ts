/** Claims of webhooks by workers, and the due events of claimed webhooks. */
import { sql } from 'kysely'
import type { AssetId, EventId, OrganizationId, WebhookId } from '../../kernel/ids.ts'
import type { Timestamp } from '../../kernel/time.ts'
import { type Claims, isFree, isOwnedBy, release } from '../../platform/db/claims.ts'
import type { Database, OrganizationDb } from '../../platform/db/database.ts'
import { dedicatedConnection, type Given, statement } from '../../platform/db/statement.ts'
import { isEnabled, type SecretsRow } from '../webhooks/webhooks.ts'

export type Claim = { readonly workerId: string; readonly webhookId: WebhookId }

/** A worker, the ids of webhooks that it delivers to already, and how many more it may claim. */
type Claimant = {
  readonly workerId: string
  readonly claimedIds: readonly string[]
  readonly limit: number
}

const dueOrganizations = statement(
  ({ workerId, claimedIds, limit }: Given<Claimant>) => sql<{
    organizationId: OrganizationId
  }>`
    select organization_id as "organizationId" from due_webhooks as due
    where id <> all (${claimedIds}::uuid[]) and ${isFree(sql`due.worker_id`, workerId)}
    group by organization_id order by min(due_at) limit ${limit}`,
)

/** Organizations with due, unclaimed webhooks, longest waiting first. */
export async function selectDueOrganizations(database: Database, claimant: Claimant): Promise<OrganizationId[]> {
  const rows = await database.runUnscoped(dueOrganizations(claimant))
  return rows.map(({ organizationId }) => organizationId)
}

// Skip locked rows: another transaction is waking or claiming the webhook, and the next poll finds it.
const claim = statement(
  ({ organizationId, workerId, claimedIds, limit }: Given<Claimant>) => sql<object>`
    update webhooks set worker_id = ${workerId}
    where organization_id = ${organizationId} and id in (
      select id from webhooks as due
      where organization_id = ${organizationId} and due_at <= now() and ${isEnabled('due')}
        and id <> all (${claimedIds}::uuid[]) and ${isFree(sql`due.worker_id`, workerId)}
      order by due_at limit ${limit} for no key update skip locked
    )`,
)

/** The webhook, as needed for deliveries. */
export type Endpoint = SecretsRow & {
  readonly webhookId: WebhookId
  readonly url: string
  /** Private networks and ports that the organization may use. */
  readonly networks: readonly string[]
  /** Consecutive requests without a response. */
  readonly noResponses: number
  /** The webhook was paused, and no request has succeeded since. */
  readonly wasPaused: boolean
  readonly failingSeconds: number | null
  /** The database's time of this read. */
  readonly now: Timestamp
}

/** An event to be delivered now. */
export type DueEvent = {
  readonly number: number
  readonly sequencedAt: Timestamp
  readonly attempts: number
  /** Consecutive failed attempts. */
  readonly failures: number
  readonly triedSeconds: number
  readonly subject: string
  readonly id: EventId
  readonly type: string
  readonly assetId: AssetId | null
  readonly data: object
  readonly createdAt: Timestamp
  /** Trace context in which the event was recorded. */
  readonly traceparent: string | null
}

export type DueRow = Endpoint & { [Key in keyof DueEvent]: DueEvent[Key] | null }

const endpoint = sql`
  hook.id as "webhookId", hook.url,
  (select webhook_networks from organizations where id = hook.organization_id) as networks, hook.secret, hook.secret_key_id as "secretKeyId",
  hook.previous_secret as "previousSecret", hook.previous_secret_key_id as "previousSecretKeyId",
  hook.previous_secret_until as "previousSecretUntil", hook.silences as "noResponses", hook.rests_until is not null as "wasPaused",
  extract(epoch from now() - hook.failing_since)::float8 as "failingSeconds", now() as now`

/**
 * Excludes future weekly partitions, because Postgres opens each table that a query may touch. (One more day is
 * included, in case a clock is adjusted.) Past weeks are included: a replayed event keeps its week.
 */
const hasBegun = (sequencedAt: ReturnType<typeof sql>) => sql<boolean>`${sequencedAt} < now() + interval '1 day'`

/** Maximum number of events per read, including those in flight. */
const DUE_MAX = 16

/** The first waiting event of each subject; events that back off come after those that never failed. */
const firstEvents = sql`
  select first.number, first.due_at, event.data_bytes, first.numbered_at as "sequencedAt", first.attempts, first.refusals as failures, first.subject,
    extract(epoch from now() - first.created_at)::float8 as "triedSeconds",
    event.id, event.type, event.asset_id as "assetId", event.data, event.created_at as "createdAt", event.traceparent
  from webhook_deliveries as first join events as event
    on event.organization_id = first.organization_id and event.number = first.number and event.numbered_at = first.numbered_at
  where first.organization_id = hook.organization_id and first.webhook_id = hook.id
    and first.state = 'waiting' and first.due_at <= now()
    and ${hasBegun(sql`first.numbered_at`)} and ${hasBegun(sql`event.numbered_at`)}
    and not exists (
      select from webhook_deliveries as earlier
      where earlier.organization_id = first.organization_id and earlier.webhook_id = first.webhook_id
        and earlier.subject = first.subject and earlier.state = 'waiting' and earlier.number < first.number
        and ${hasBegun(sql`earlier.numbered_at`)}
    )
  order by first.due_at, first.number limit ${sql.lit(DUE_MAX)}`

/**
 * Maximum size of the events per read; a read ends with the event that exceeds it. A worker may have claimed a thousand
 * webhooks, and each of them may hang.
 */
const DUE_BYTES_MAX = 2 * 1024 * 1024

const dueEvents = sql`
  select number, "sequencedAt", attempts, failures, subject, "triedSeconds", id, type, "assetId", data, "createdAt",
    traceparent
  from (
    select *, sum(data_bytes) over (order by due_at, number) - data_bytes as bytes_before
    from (${firstEvents}) as firsts
  ) as counted
  where bytes_before < ${sql.lit(DUE_BYTES_MAX)} order by due_at, number`

const readDue = (given: Given<{ readonly workerId: string }>, condition: ReturnType<typeof sql>) => sql<DueRow>`
  select ${endpoint}, due.* from webhooks as hook left join lateral (${dueEvents}) as due on true
  where hook.organization_id = ${given.organizationId} and hook.worker_id = ${given.workerId}
    and ${isEnabled('hook')} and ${condition}`

// The worker may have claimed a webhook before a restart, so the webhook may be paused.
const readClaimed = statement((given: Given<Omit<Claimant, 'limit'>>) =>
  readDue(given, sql`hook.due_at <= now() and hook.id <> all (${given.claimedIds}::uuid[])`),
)

export type ClaimedWebhook = { readonly endpoint: Endpoint; readonly due: readonly DueEvent[] }

/** Claims the due webhooks of an organization, except those in `claimedIds`, and returns their due events. */
export async function claimWebhooks(db: OrganizationDb, claimant: Claimant): Promise<ClaimedWebhook[]> {
  const [, rows] = await db.run(claim(claimant), readClaimed(claimant))
  const claimed = new Map<WebhookId, { endpoint: Endpoint; due: DueEvent[] }>()
  for (const row of rows) {
    const entry = claimed.get(row.webhookId) ?? { endpoint: row, due: [] }
    if (isDue(row)) entry.due.push(row)
    claimed.set(row.webhookId, entry)
  }
  return [...claimed.values()]
}

const isDue = (row: DueRow): row is DueRow & DueEvent => row.number !== null

/** Reads the due events of a claimed webhook; no row if the claim was lost. */
export const readQuery = statement((given: Given<Claim>) => readDue(given, sql`hook.id = ${given.webhookId}`))

export function toClaimedWebhook(rows: readonly DueRow[]): ClaimedWebhook | undefined {
  const [first] = rows
  return first && { endpoint: first, due: rows.filter(isDue) }
}

// Delays events that wait behind an earlier event of the same subject, until that event is due: otherwise they would be
// read again and again. There may be thousands. Rows are locked in the order of their numbers, as in all statements, to
// avoid deadlocks.
const delayBlocked = statement(({ organizationId, webhookId }: Given<Claim>) => {
  const first = sql`(
      select earlier.due_at from webhook_deliveries as earlier
      where earlier.organization_id = ${organizationId} and earlier.webhook_id = ${webhookId}
        and earlier.subject = behind.subject and earlier.state = 'waiting' and ${hasBegun(sql`earlier.numbered_at`)}
      order by earlier.number limit 1)`
  return sql<object>`
      with behind as materialized (
        select behind.number, behind.numbered_at, ${first} as due_at from webhook_deliveries as behind
        where behind.organization_id = ${organizationId} and behind.webhook_id = ${webhookId}
          and behind.state = 'waiting' and behind.due_at <= now() and ${first} > now()
          and ${hasBegun(sql`behind.numbered_at`)}
        order by behind.number for no key update of behind
      )
      update webhook_deliveries as delivery set due_at = behind.due_at from behind
      where delivery.organization_id = ${organizationId} and delivery.webhook_id = ${webhookId}
        and delivery.number = behind.number and delivery.numbered_at = behind.numbered_at
        and delivery.state = 'waiting' and ${hasBegun(sql`delivery.numbered_at`)}`
})

/** Delays the events behind one that backs off. */
export const delayBlockedQuery = dedicatedConnection(delayBlocked)

// If a concurrent wake-up updates the row first, `wakes` has changed and the webhook stays claimed. Otherwise the
// wake-up waits for the row and makes the released webhook due. A paused webhook without waiting events is not due;
// otherwise the end of its pause would make workers claim it again and again.
/** Releases the claim if nothing is due. */
export const releaseQuery = statement(
  ({ organizationId, workerId, webhookId }: Given<Claim>) => sql<object>`
    with waiting as (
      select min(due_at) as due_at from webhook_deliveries
      where organization_id = ${organizationId} and webhook_id = ${webhookId} and state = 'waiting'
        and ${hasBegun(sql`numbered_at`)}
    ),
    seen as materialized (
      select wakes, case when waiting.due_at is not null then greatest(rests_until, waiting.due_at) end as due_at
      from webhooks, waiting where organization_id = ${organizationId} and id = ${webhookId}
    )
    update webhooks as hook set worker_id = null, due_at = seen.due_at from seen
    where hook.organization_id = ${organizationId} and hook.id = ${webhookId}
      and hook.worker_id = ${workerId} and hook.wakes = seen.wakes
      and (seen.due_at is null or seen.due_at > now())`,
)

type ClaimedWebhooks = { readonly workerId: string; readonly webhookIds: readonly string[] }

const claims: Claims = {
  table: sql`webhooks`,
  owner: sql`webhooks.worker_id`,
  isClaimed: sql`worker_id is not null`,
  released: sql`worker_id = null`,
}

const releaseClaimed = statement(({ organizationId, workerId, webhookIds }: Given<ClaimedWebhooks>) =>
  release(
    claims,
    sql`organization_id = ${organizationId} and id = any (${webhookIds}::uuid[]) and ${isOwnedBy(claims, workerId)}`,
  ),
)

/** Releases the claims, whatever is due. */
export async function releaseWebhooks(db: OrganizationDb, claimed: ClaimedWebhooks): Promise<void> {
  await db.run(releaseClaimed(claimed))
}

const releaseAll = statement(({ organizationId }: Given<object>) =>
  release(claims, sql`organization_id = ${organizationId}`),
)

/** Releases all webhooks of an organization, because their workers belong to another cell. */
export async function releaseAllWebhooks(db: OrganizationDb): Promise<void> {
  await db.run(releaseAll({}))
}

export type WebhookRef = { readonly organizationId: OrganizationId; readonly webhookId: WebhookId }

const claimedBy = statement(
  ({ workerId, limit }: Given<{ workerId: string; limit: number }>) => sql<WebhookRef>`
    select organization_id as "organizationId", id as "webhookId" from due_webhooks
    where worker_id = ${workerId} order by due_at limit ${limit}`,
)
export const selectClaimed = (database: Database, workerId: string, limit: number): Promise<WebhookRef[]> =>
  database.runUnscoped(claimedBy({ workerId, limit }))

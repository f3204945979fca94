import { sql } from 'kysely'
import type { TokenId, WebhookId } from '../../kernel/ids.ts'
import type { Timestamp } from '../../kernel/time.ts'
import { lockNumber } from '../../platform/db/advisory-locks.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import type { PageRequest } from '../../platform/db/paging/keyset.ts'
import { keysetQuery, type RowsWithCount, toRowsWithCount } from '../../platform/db/paging/keyset-query.ts'
import { creating, dedicatedConnection, type Given, type Query, statement } from '../../platform/db/statement.ts'
import { creatorColumns } from '../grants/grants.ts'
import type { Webhook } from './webhooks.rules.ts'

type WebhookKey = { readonly id: WebhookId }

/** Whether events are delivered to a webhook of this table. */
export const isEnabled = (table: string) =>
  sql<boolean>`${sql.ref(`${table}.disabled_at`)} is null and coalesce(${sql.ref(`${table}.expires_at`)} > now(), true)`

const columns = sql`id, url, description, types, expires_at as "expiresAt", ${creatorColumns('webhooks')},
  coalesce(disabled_at, case when expires_at <= now() then expires_at end) as "disabledAt",
  coalesce(disabled_because, case when expires_at <= now() then 'expired' end) as "disabledReason",
  failing_since as "failingSince", created_at as "createdAt", updated_at as "updatedAt",
  case when previous_secret_until > now() then previous_secret_until end as "previousSecretUntil"`

const byId = statement(
  ({ organizationId, id }: Given<WebhookKey>) => sql<Webhook>`
    select ${columns} from webhooks where organization_id = ${organizationId} and id = ${id}`,
)

/** Newest first: ids are ordered by time. */
const readPage = keysetQuery(
  { columns: ['id'], direction: 'desc' },
  ({ organizationId }: Given<object>, { afterPosition, order, limit }) => sql<Webhook>`
    select ${columns} from webhooks
    where organization_id = ${organizationId} and ${afterPosition} ${order} limit ${limit}`,
)

const countAll = statement(
  ({ organizationId }: Given<object>) => sql<{ count: number }>`
    select count(*) as count from webhooks where organization_id = ${organizationId}`,
)

/** Serializes webhook creation, so that concurrent requests cannot exceed the limit together. */
const lockCreation = dedicatedConnection(
  statement(
    ({ organizationId }: Given<object>) =>
      sql`select from (select pg_advisory_xact_lock(${lockNumber('newWebhook', organizationId)})) as locked`,
  ),
)

type Secret = { readonly secret: Buffer; readonly secretKeyId: string }

/** The token that grants a webhook its events, and when that token expires. */
export type WebhookGrant = { readonly grantedBy: TokenId | null; readonly expiresAt: Timestamp | null }

type NewWebhookRow = WebhookKey & Secret & WebhookGrant & Pick<Webhook, 'url' | 'description' | 'types'>

const insert = creating(
  'webhook',
  'id',
  statement(
    (row: Given<NewWebhookRow>) => sql<Webhook>`
    insert into webhooks (organization_id, id, url, description, types, secret, secret_key_id, created_by, granted_by,
      expires_at)
    values (${row.organizationId}, ${row.id}, ${row.url}, ${row.description}, ${row.types}, ${row.secret},
      ${row.secretKeyId}, ${row.grantedBy}, ${row.grantedBy}, ${row.expiresAt})
    returning ${columns}`,
  ),
)

/** Fields that are null stay unchanged. */
type Change = WebhookKey &
  WebhookGrant & {
    readonly url: string | null
    readonly description: string | null
    readonly types: readonly string[] | null
    readonly isEnabled: boolean | null
    readonly resetsFailures: boolean
    /** Whether the change needs the grant and replaces the previous one. */
    readonly replacesGrant: boolean
  }

const update = dedicatedConnection(
  statement(
    (change: Given<Change>) => sql<Webhook>`
      update webhooks set
        url = coalesce(${change.url}, url),
        description = coalesce(${change.description}, description),
        types = coalesce(${change.types}::text[], types),
        disabled_at = case ${change.isEnabled}::boolean
          when true then null when false then coalesce(disabled_at, now()) else disabled_at end,
        disabled_because = case ${change.isEnabled}::boolean
          when true then null when false then coalesce(disabled_because, 'caller') else disabled_because end,
        failing_since = case when not ${change.resetsFailures}::boolean then failing_since end,
        silences = case when ${change.resetsFailures}::boolean then 0 else silences end,
        rests_until = case when not ${change.resetsFailures}::boolean then rests_until end,
        due_at = case when ${change.resetsFailures}::boolean then now() else due_at end,
        granted_by = case when ${change.replacesGrant}::boolean then ${change.grantedBy}::uuid else granted_by end,
        expires_at = case when ${change.replacesGrant}::boolean then ${change.expiresAt}::timestamptz else expires_at end,
        wakes = wakes + 1,
        updated_at = now()
      where organization_id = ${change.organizationId} and id = ${change.id}
      returning ${columns}`,
  ),
)

const rotate = dedicatedConnection(
  statement(
    ({
      organizationId,
      id,
      secret,
      secretKeyId,
      overlapSeconds,
      grantedBy,
      expiresAt,
    }: Given<WebhookKey & Secret & WebhookGrant & { overlapSeconds: number }>) => sql<Webhook>`
      update webhooks set
        previous_secret = case when ${overlapSeconds}::integer > 0 then secret end,
        previous_secret_key_id = case when ${overlapSeconds}::integer > 0 then secret_key_id end,
        previous_secret_until =
          case when ${overlapSeconds}::integer > 0 then now() + make_interval(secs => ${overlapSeconds}::integer) end,
        secret = ${secret}, secret_key_id = ${secretKeyId}, granted_by = ${grantedBy}, expires_at = ${expiresAt},
        updated_at = now()
      where organization_id = ${organizationId} and id = ${id}
      returning ${columns}`,
  ),
)

const remove = dedicatedConnection(
  statement(
    ({ organizationId, id }: Given<WebhookKey>) => sql<WebhookKey>`
      delete from webhooks where organization_id = ${organizationId} and id = ${id} returning id`,
  ),
)

// The webhook stays marked as paused: until a delivery succeeds, only one request at a time is sent.
const wake = dedicatedConnection(
  statement(
    ({ organizationId, id }: Given<WebhookKey>) => sql`
      update webhooks set due_at = now(), wakes = wakes + 1,
        rests_until = case when rests_until is not null then least(rests_until, now()) end
      where organization_id = ${organizationId} and id = ${id}`,
  ),
)

/** Makes the webhook due now, which ends its pause. */
export const wakeQuery = (id: WebhookId): Query<unknown> => wake({ id })

export async function findWebhook(db: OrganizationDb, id: WebhookId): Promise<Webhook | undefined> {
  const [[row]] = await db.run(byId({ id }))
  return row
}

export async function selectWebhooks(db: OrganizationDb, request: PageRequest): Promise<RowsWithCount<Webhook>> {
  return toRowsWithCount(await db.run(readPage({}, request), countAll({})))
}

export async function lockAndCountWebhooks(tx: OrganizationDb): Promise<number> {
  const [, [row]] = await tx.run(lockCreation({}), countAll({}))
  return row?.count ?? 0
}

export async function insertWebhook(tx: OrganizationDb, row: NewWebhookRow): Promise<Webhook> {
  const [[inserted]] = await tx.run(insert(row))
  if (!inserted) throw new Error('Inserting a webhook returned no row')
  return inserted
}

export async function updateWebhook(db: OrganizationDb, change: Change): Promise<Webhook | undefined> {
  const [[row]] = await db.run(update(change))
  return row
}

export async function updateSecret(
  db: OrganizationDb,
  change: WebhookKey & Secret & WebhookGrant & { readonly overlapSeconds: number },
): Promise<Webhook | undefined> {
  const [[row]] = await db.run(rotate(change))
  return row
}

/** Deletes a webhook. Returns whether it existed. */
export async function deleteWebhook(db: OrganizationDb, id: WebhookId): Promise<boolean> {
  const [rows] = await db.run(remove({ id }))
  return rows.length > 0
}

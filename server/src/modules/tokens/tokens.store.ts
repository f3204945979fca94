import type { Scope } from '@reelkeep/contract'
import { sql } from 'kysely'
import type { FolderUuid, PrincipalId, TokenId } from '../../kernel/ids.ts'
import type { Timestamp } from '../../kernel/time.ts'
import { lockNumber } from '../../platform/db/advisory-locks.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import type { PageRequest } from '../../platform/db/paging/keyset.ts'
import { keysetQuery, toRowsWithCount } from '../../platform/db/paging/keyset-query.ts'
import { build, creating, dedicatedConnection, type Given, statement } from '../../platform/db/statement.ts'
import { absenceQuery } from '../../platform/db/suspension.ts'
import { creator, isLive, type PrincipalLimits } from '../grants/grants.ts'
import type { Token } from './tokens.rules.ts'

const columns = [
  'id',
  'name',
  sql<Scope[]>`scopes`.as('scopes'),
  'created_at as createdAt',
  sql<Timestamp | null>`least(expires_at, retires_at)`.as('expiresAt'),
  'revoked_at as revokedAt',
  'last_used_at as lastUsedAt',
  'created_by as createdBy',
  creator('tokens').as('creator'),
  sql<FolderUuid | null>`folder_uuid`.as('folderUuid'),
] as const

/** A limited principal sees the tokens that it could have created, itself among them. */
const isVisible = sql<boolean>`(
  (select current_setting('app.is_limited', true)) is distinct from 'yes'
  or (current_setting('app.created_by', true) = '*' or own_only)
    and (folder_uuid = current_setting('app.folder_uuid', true) or place_in_limits(organization_id, folder_uuid)))`

/** A principal's rights, from its row of `tokens` and the row of `organizations`. */
export const principalColumns = [
  'tokens.id',
  sql<Scope[]>`scopes`.as('scopes'),
  sql<FolderUuid | null>`tokens.folder_uuid`.as('folderUuid'),
  'own_only as ownOnly',
  'playback_epoch as playbackEpoch',
  sql<boolean>`num_nonnulls(quota_stored_bytes, quota_assets, quota_encoded_minutes, quota_open_sessions) > 0`.as(
    'hasQuotas',
  ),
  sql<boolean>`default_resolutions is not null`.as('hasDefaultResolutions'),
] as const

const liveByHash = statement(({ organizationId, tokenHash }: Given<{ tokenHash: Buffer }>) =>
  build
    .selectFrom('tokens')
    .innerJoin('organizations', 'organizations.id', 'tokens.organization_id')
    .select([
      ...principalColumns,
      sql<Timestamp | null>`least(expires_at, retires_at)`.as('expiresAt'),
      sql<number | null>`extract(epoch from least(expires_at, retires_at) - now())::float8`.as('secondsLeft'),
    ])
    .where('organization_id', '=', organizationId)
    .where('token_hash', '=', tokenHash)
    .where(isLive),
)

const liveById = statement(({ organizationId, id }: Given<{ id: TokenId }>) =>
  build
    .selectFrom('tokens')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .where(isLive),
)

/** Whether the token is live; false for every token of an organization that is absent. */
export async function isLiveToken(db: OrganizationDb, id: TokenId): Promise<boolean> {
  const [rows, absences] = await db.run(liveById({ id }), absenceQuery({}))
  return rows.length > 0 && absences.length === 0
}

/** Serializes token creation, so that concurrent requests cannot exceed the limit, and changes of members and roles. */
const lockCreation = statement(
  ({ organizationId }: Given<object>) =>
    sql`select from (select pg_advisory_xact_lock(${lockNumber('newToken', organizationId)})) as locked`,
)

/**
 * Expired and revoked tokens stay in lists for 90 days, and longer while something that was created with them exists:
 * they are needed to revoke it together with their own creators.
 */
const removeSomeEnded = statement(
  ({ organizationId }: Given<object>) => sql`
    delete from tokens
    where organization_id = ${organizationId} and id in (
      select id from tokens as ended
      where organization_id = ${organizationId} and kind = 'token'
        and least(revoked_at, expires_at, retires_at) < now() - interval '90 days'
        and not exists (
          select from tokens where organization_id = ${organizationId} and created_by = ended.id
          union all
          select from signing_keys where organization_id = ${organizationId} and created_by = ended.id
          union all
          select from webhooks where organization_id = ${organizationId} and ended.id in (created_by, granted_by)
        )
      limit 100
    )`,
)

const countLive = statement(({ organizationId }: Given<object>) =>
  build
    .selectFrom('tokens')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('organization_id', '=', organizationId)
    .where('kind', '=', 'token')
    .where(isLive),
)

/** Counts all tokens, including expired and revoked ones, of which there may be many. */
const countAll = dedicatedConnection(
  statement(({ organizationId }: Given<object>) =>
    build
      .selectFrom('tokens')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('organization_id', '=', organizationId)
      .where('kind', '=', 'token')
      .where(isVisible),
  ),
)

export type NewTokenRow = {
  readonly id: TokenId
  readonly name: string
  readonly scopes: readonly Scope[]
  readonly expiresAt: string | null
  readonly tokenHash: Buffer
  readonly createdBy: TokenId | null
} & PrincipalLimits

const insert = creating(
  'token',
  'id',
  statement((token: Given<NewTokenRow>) =>
    build
      .insertInto('tokens')
      .values({
        organization_id: token.organizationId,
        id: token.id,
        name: token.name,
        scopes: token.scopes as string[],
        expires_at: token.expiresAt as Timestamp,
        token_hash: token.tokenHash,
        created_by: token.createdBy,
        folder_uuid: token.folderUuid,
        own_only: token.ownOnly,
      })
      .returning(columns),
  ),
)

const byId = statement(({ organizationId, id }: Given<{ id: TokenId }>) =>
  build
    .selectFrom('tokens')
    .select(columns)
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .where('kind', '=', 'token')
    .where(isVisible),
)

const toRotate = statement(({ organizationId, id }: Given<{ id: TokenId }>) =>
  build
    .selectFrom('tokens')
    .select([
      'name',
      sql<Scope[]>`scopes`.as('scopes'),
      'expires_at as grantedUntil',
      isLive.as('isLive'),
      sql<FolderUuid | null>`folder_uuid`.as('folderUuid'),
      'own_only as ownOnly',
    ])
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .where('kind', '=', 'token')
    .forUpdate(),
)

const retireAfter = statement(({ organizationId, id, seconds }: Given<{ id: TokenId; seconds: number }>) =>
  build
    .updateTable('tokens')
    .set({
      retires_at: sql<Timestamp>`least(retires_at, now() + make_interval(secs => ${seconds}))`,
    })
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .returning('id'),
)

type Revocable = Pick<Token, 'id' | 'name' | 'scopes' | 'revokedAt'>

// "for update" reads the row as it is once the lock is acquired.
const toRevoke = statement(
  ({ organizationId, id }: Given<{ id: TokenId }>) => sql<Revocable>`
    select id, name, scopes, revoked_at as "revokedAt" from tokens
    where organization_id = ${organizationId} and id = ${id} and kind = 'token' for update`,
)

const revoke = statement(
  ({ organizationId, id }: Given<{ id: TokenId }>) => sql<{ id: TokenId }>`
    update tokens set revoked_at = now() where organization_id = ${organizationId} and id = ${id} returning id`,
)

/** A token or member that ends. */
export type EndedPrincipal = Pick<Token, 'id' | 'name' | 'scopes'> & {
  /** The role of a member; null for a token. */
  readonly role: string | null
}

type Ending = { readonly id: PrincipalId; readonly withDescendants: boolean }

const descendants = ({ organizationId, id }: Given<{ id: PrincipalId }>, withDescendants: unknown = true) => sql`
  with recursive descendant (id) as (
    select ${id}::uuid
    union
    select token.id from tokens as token join descendant on token.created_by = descendant.id
    where token.organization_id = ${organizationId} and ${withDescendants}::boolean
  )`

const endPrincipals = statement(
  (given: Given<Ending>) => sql<EndedPrincipal>`
    ${descendants(given, given.withDescendants)}, live as (
      select id from tokens where organization_id = ${given.organizationId} and revoked_at is null
        and id in (select id from descendant)
    ), revoked as (
      update tokens set revoked_at = coalesce(revoked_at, now()),
        has_revoked_descendants = has_revoked_descendants or ${given.withDescendants}::boolean
      where organization_id = ${given.organizationId} and id in (select id from descendant)
      returning id, name, scopes
    ), removed as (
      update members set removed_at = now()
      where organization_id = ${given.organizationId} and id in (select id from descendant) and removed_at is null
      returning id, role
    )
    select revoked.id, revoked.name, revoked.scopes, removed.role
    from revoked join live on live.id = revoked.id left join removed on removed.id = revoked.id`,
)

const deleteKeysOfDescendants = statement(
  (given: Given<{ id: TokenId }>) => sql`
    ${descendants(given)}
    delete from signing_keys
    where organization_id = ${given.organizationId} and created_by in (select id from descendant)`,
)

const disableWebhooksOfDescendants = dedicatedConnection(
  statement(
    (given: Given<{ id: TokenId }>) => sql`
      ${descendants(given)}
      update webhooks set disabled_at = now(), disabled_because = 'caller', updated_at = now(), wakes = wakes + 1
      where organization_id = ${given.organizationId} and disabled_at is null
        and (created_by in (select id from descendant) or granted_by in (select id from descendant))`,
  ),
)

/** Notification that tokens of an organization were revoked or rotated; its payload is the organization's id. */
export const TOKENS_ENDED_CHANNEL = 'reelkeep_tokens_ended'

const notifyEnded = statement(
  ({ organizationId }: Given<object>) => sql`
    select from (select pg_notify(${sql.lit(TOKENS_ENDED_CHANNEL)}, ${organizationId}::text)) as notified`,
)

const removeLinks = dedicatedConnection(
  statement(
    ({ organizationId, secretHash }: Given<{ secretHash: Buffer }>) => sql<{ id: string }>`
      with invitation as (
        delete from invitations where organization_id = ${organizationId} and secret_hash = ${secretHash} returning id
      ), recovery as (
        delete from recovery_links where organization_id = ${organizationId} and secret_hash = ${secretHash}
        returning member_id
      )
      select id from invitation union all select member_id from recovery`,
  ),
)

/** Deletes the invitation or recovery link with this secret. Returns whether there was one. */
export async function removeLink(db: OrganizationDb, secretHash: Buffer): Promise<boolean> {
  const [rows] = await db.run(removeLinks({ secretHash }))
  return rows.length > 0
}

const touch = statement(({ organizationId, id }: Given<{ id: TokenId }>) =>
  build
    .updateTable('tokens')
    .set({ last_used_at: sql<Timestamp>`now()` })
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .returning('id'),
)

/** Newest first: ids are UUIDv7. */
const readAll = keysetQuery(
  { columns: ['id'], direction: 'desc' },
  ({ organizationId }: Given<object>, { afterPosition, order, limit }) =>
    build
      .selectFrom('tokens')
      .select(columns)
      .where('organization_id', '=', organizationId)
      .where('kind', '=', 'token')
      .where(isVisible)
      .where(afterPosition)
      .modifyEnd(sql`${order} limit ${limit}`),
)

/** Finds a live token, and whether its organization is absent. */
export async function findLiveToken(db: OrganizationDb, tokenHash: Buffer) {
  const [[token], [absent]] = await db.run(liveByHash({ tokenHash }), absenceQuery({}))
  return { token, absence: absent?.absence }
}

/** Locks token creation and counts live tokens. Also deletes some tokens that ended more than 90 days ago. */
export async function lockAndCountLiveTokens(tx: OrganizationDb): Promise<number> {
  const [, , [row]] = await tx.run(lockCreation({}), removeSomeEnded({}), countLive({}))
  return row?.count ?? 0
}

export async function insertToken(tx: OrganizationDb, token: NewTokenRow): Promise<Token> {
  const [[row]] = await tx.run(insert(token))
  if (!row) throw new Error('The insert returned no row')
  return row
}

export async function findToken(db: OrganizationDb, id: TokenId): Promise<Token | undefined> {
  const [[row]] = await db.run(byId({ id }))
  return row
}

export async function findTokenToRotate(tx: OrganizationDb, id: TokenId) {
  const [[row]] = await tx.run(toRotate({ id }))
  return row
}

export async function retireTokenAfter(tx: OrganizationDb, id: TokenId, seconds: number): Promise<void> {
  await tx.run(retireAfter({ id, seconds }), notifyEnded({}))
}

export async function lockTokenToRevoke(tx: OrganizationDb, id: TokenId): Promise<Revocable | undefined> {
  const [[token]] = await tx.run(toRevoke({ id }))
  return token
}

export async function markRevoked(tx: OrganizationDb, id: TokenId): Promise<void> {
  await tx.run(revoke({ id }), notifyEnded({}))
}

/**
 * Ends a token or member, also with everything that it or its descendants created. Returns the tokens and members that
 * were not ended before. The principals must be locked, so that no descendant is missed.
 */
export async function revokePrincipals(tx: OrganizationDb, { id, withDescendants }: Ending): Promise<EndedPrincipal[]> {
  const [ended] = await tx.run(endPrincipals({ id, withDescendants }), notifyEnded({}))
  // Only now no descendant can create a key or a webhook any more.
  if (withDescendants) await tx.run(deleteKeysOfDescendants({ id }), disableWebhooksOfDescendants({ id }))
  return ended
}

/**
 * Locks the creation of tokens and all changes of members and roles until the end of the transaction. Lock it before
 * the row of the grantor.
 */
export async function lockPrincipals(tx: OrganizationDb): Promise<void> {
  await tx.run(lockCreation({}))
}

/** Makes all instances check again which tokens and members of the organization are valid. */
export async function notifyPrincipalsEnded(tx: OrganizationDb): Promise<void> {
  await tx.run(notifyEnded({}))
}

export async function markUsed(db: OrganizationDb, id: TokenId): Promise<void> {
  await db.run(touch({ id }))
}

export async function selectTokens(db: OrganizationDb, request: PageRequest) {
  return toRowsWithCount(await db.run(readAll({}, request), countAll({})))
}

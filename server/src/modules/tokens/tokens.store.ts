import type { Scope } from '@reelkeep/contract'
import { sql } from 'kysely'
import type { TokenId } from '../../kernel/ids.ts'
import type { Timestamp } from '../../kernel/time.ts'
import { lockNumber } from '../../platform/db/advisory-locks.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import type { PageRequest } from '../../platform/db/paging/keyset.ts'
import { keysetQuery, toRowsWithCount } from '../../platform/db/paging/keyset-query.ts'
import { build, dedicatedConnection, type Given, statement } from '../../platform/db/statement.ts'
import { migratedAwayQuery } from '../../platform/db/suspension.ts'
import type { Token } from './tokens.rules.ts'

const columns = [
  'id',
  'name',
  sql<Scope[]>`scopes`.as('scopes'),
  'created_at as createdAt',
  sql<Timestamp | null>`least(expires_at, retires_at)`.as('expiresAt'),
  'revoked_at as revokedAt',
  'last_used_at as lastUsedAt',
] as const

const isLive = sql<boolean>`(
  revoked_at is null and coalesce(least(expires_at, retires_at) > now(), true)
)`

const liveByHash = statement(({ organizationId, tokenHash }: Given<{ tokenHash: Buffer }>) =>
  build
    .selectFrom('tokens')
    .select([
      'id',
      sql<Scope[]>`scopes`.as('scopes'),
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

/** Whether the token is live; false for every token of an organization that was migrated away. */
export async function isLiveToken(db: OrganizationDb, id: TokenId): Promise<boolean> {
  const [rows, migratedAway] = await db.run(liveById({ id }), migratedAwayQuery({}))
  return rows.length > 0 && migratedAway.length === 0
}

/** Serializes token creation, so that concurrent requests cannot exceed the limit. */
const lockCreation = statement(
  ({ organizationId }: Given<object>) =>
    sql`select from (select pg_advisory_xact_lock(${lockNumber('newToken', organizationId)})) as locked`,
)

/** Expired and revoked tokens stay in lists for 90 days. */
const removeSomeEnded = statement(
  ({ organizationId }: Given<object>) => sql`
    delete from tokens
    where organization_id = ${organizationId} and id in (
      select id from tokens
      where organization_id = ${organizationId}
        and least(revoked_at, expires_at, retires_at) < now() - interval '90 days'
      limit 100
    )`,
)

const countLive = statement(({ organizationId }: Given<object>) =>
  build
    .selectFrom('tokens')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('organization_id', '=', organizationId)
    .where(isLive),
)

/** Counts all tokens, including expired and revoked ones, of which there may be many. */
const countAll = dedicatedConnection(
  statement(({ organizationId }: Given<object>) =>
    build
      .selectFrom('tokens')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('organization_id', '=', organizationId),
  ),
)

export type NewTokenRow = {
  readonly id: TokenId
  readonly name: string
  readonly scopes: readonly Scope[]
  readonly expiresAt: string | null
  readonly tokenHash: Buffer
}

const insert = statement(({ organizationId, id, name, scopes, expiresAt, tokenHash }: Given<NewTokenRow>) =>
  build
    .insertInto('tokens')
    .values({
      organization_id: organizationId,
      id,
      name,
      scopes: scopes as string[],
      expires_at: expiresAt as Timestamp,
      token_hash: tokenHash,
    })
    .returning(columns),
)

const byId = statement(({ organizationId, id }: Given<{ id: TokenId }>) =>
  build.selectFrom('tokens').select(columns).where('organization_id', '=', organizationId).where('id', '=', id),
)

const toRotate = statement(({ organizationId, id }: Given<{ id: TokenId }>) =>
  build
    .selectFrom('tokens')
    .select(['name', sql<Scope[]>`scopes`.as('scopes'), 'expires_at as grantedUntil', isLive.as('isLive')])
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
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

type Revoked = Pick<Token, 'id' | 'name'> & { readonly wasRevoked: boolean }

// "for update" reads the row as it is once the lock is acquired.
const revoke = statement(
  ({ organizationId, id }: Given<{ id: TokenId }>) => sql<Revoked>`
    with before as (
      select revoked_at from tokens where organization_id = ${organizationId} and id = ${id} for update
    )
    update tokens as mine set revoked_at = coalesce(before.revoked_at, now())
    from before
    where organization_id = ${organizationId} and id = ${id}
    returning id, name, before.revoked_at is not null as "wasRevoked"`,
)

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
      .where(afterPosition)
      .modifyEnd(sql`${order} limit ${limit}`),
)

/** Finds a live token, and whether its organization was migrated away. */
export async function findLiveToken(db: OrganizationDb, tokenHash: Buffer) {
  const [[token], migratedAway] = await db.run(liveByHash({ tokenHash }), migratedAwayQuery({}))
  return { token, isMigratedAway: migratedAway.length > 0 }
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
  await tx.run(retireAfter({ id, seconds }))
}

export async function markRevoked(db: OrganizationDb, id: TokenId): Promise<Revoked | undefined> {
  const [[token]] = await db.run(revoke({ id }))
  return token
}

export async function markUsed(db: OrganizationDb, id: TokenId): Promise<void> {
  await db.run(touch({ id }))
}

export async function selectTokens(db: OrganizationDb, request: PageRequest) {
  return toRowsWithCount(await db.run(readAll({}, request), countAll({})))
}

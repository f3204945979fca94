import { sql } from 'kysely'
import type { AccessTokenId, AssetId } from '../../kernel/ids.ts'
import { lockNumber } from '../../platform/db/advisory-locks.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import { goneQuery } from '../../platform/db/held.ts'
import type { PageRequest } from '../../platform/db/keyset.ts'
import { type Found, readingOf, toFound } from '../../platform/db/reading.ts'
import { type Given, statement, takesLong } from '../../platform/db/statement.ts'
import type { Asset } from '../assets/assets.ts'
import { publicKeys, type SigningKey } from '../signing-keys/signing-keys.ts'
import {
  type AccessToken,
  LIVE_TOKENS_PER_ASSET_MAX,
  REVOCATIONS_READ_MAX,
} from './access-tokens.rules.ts'

type OfAsset = { readonly assetId: AssetId }
type OfToken = OfAsset & { readonly id: AccessTokenId }

const ofAsset = ({ organizationId, assetId }: Given<OfAsset>) =>
  sql<boolean>`token.organization_id = ${organizationId} and token.asset_id = ${assetId}`

const columns = sql`token.id, token.viewer_id as "viewerId", token.is_single_use as "isSingleUse", token.referrers,
  token.networks, token.watermark, token.created_at as "createdAt", token.expires_at as "expiresAt",
  token.revoked_at as "revokedAt",
  (select spent_at from spent_passes as spent
    where spent.organization_id = token.organization_id and spent.jti = token.id::text) as "usedAt"`

/** Newest first: ids are made in the order of time. */
const readPage = readingOf(
  { columns: ['id'], direction: 'desc' },
  (given: Given<OfAsset>, { isAhead, order, limit }) => sql<AccessToken>`
    select ${columns} from access_tokens as token
    where ${ofAsset(given)} and ${isAhead} ${order} limit ${limit}`,
)

/** Of those that have expired there may be any number. */
const countOf = takesLong(
  statement(
    (given: Given<OfAsset>) => sql<{ count: number }>`
      select count(*) as count from access_tokens as token where ${ofAsset(given)}`,
  ),
)

const byId = statement(
  (given: Given<OfToken>) => sql<AccessToken>`
    select ${columns} from access_tokens as token where ${ofAsset(given)} and id = ${given.id}`,
)

/** Serializes those who create tokens for one asset, so that two cannot pass the limit together. */
const lockCreation = takesLong(
  statement(
    ({ organizationId, assetId }: Given<OfAsset>) => sql`
      select from (
        select pg_advisory_xact_lock(${lockNumber('newAccessToken', organizationId, assetId)})
      ) as locked`,
  ),
)

/**
 * Kept for a while, so that a list shows what happened; not for ever, so that the table stays small.
 * Rows that somebody else is removing are passed over.
 */
const removeSomeExpired = statement(
  ({ organizationId }: Given<object>) => sql`
    delete from access_tokens
    where organization_id = ${organizationId} and (asset_id, id) in (
      select asset_id, id from access_tokens
      where organization_id = ${organizationId} and expires_at < now() - interval '7 days'
      order by expires_at limit 100 for update skip locked
    )`,
)

const countLive = statement(
  (given: Given<OfAsset & { limit: number }>) => sql<{ count: number }>`
    select count(*) as count from (
      select from access_tokens as token where ${ofAsset(given)} and expires_at > now() limit ${given.limit}
    ) as live`,
)

export type PassFacts = {
  /** It lives in another cell. */
  readonly isGone: boolean
  readonly isOpen: boolean
  readonly keys: readonly Pick<SigningKey, 'id' | 'publicKey'>[]
  /** Names of tokens. */
  readonly revoked: readonly string[]
}

export type NewAccessToken = Omit<
  AccessToken,
  'createdAt' | 'expiresAt' | 'usedAt' | 'revokedAt'
> & {
  /** Since 1970. */
  readonly expSeconds: number
}

const insert = statement(
  (token: Given<OfAsset & NewAccessToken>) => sql<AccessToken>`
    insert into access_tokens as token (organization_id, asset_id, id, viewer_id, is_single_use, referrers, networks,
      watermark, expires_at)
    values (${token.organizationId}, ${token.assetId}, ${token.id}, ${token.viewerId}, ${token.isSingleUse},
      ${token.referrers}::text[], ${token.networks}::text[], ${token.watermark},
      to_timestamp(${token.expSeconds}::double precision))
    returning ${columns}`,
)

const revoke = statement(
  (given: Given<OfToken>) => sql<{ id: AccessTokenId }>`
    update access_tokens as token set revoked_at = coalesce(revoked_at, now())
    where ${ofAsset(given)} and id = ${given.id} returning id`,
)

/** Those that have expired need no remembering. */
const revokedTokens = statement(
  ({ organizationId, limit }: Given<{ limit: number }>) => sql<{ id: string }>`
    select id from access_tokens
    where organization_id = ${organizationId} and revoked_at is not null and expires_at > now()
    order by expires_at desc limit ${limit}`,
)

const openness = statement(
  ({ organizationId }: Given<object>) => sql<{ isOpen: boolean }>`
    select is_open as "isOpen" from organizations where id = ${organizationId}`,
)

/** Here, too, what somebody else is removing is passed over. */
const removeSomeSpent = statement(
  ({ organizationId }: Given<object>) => sql`
    delete from spent_passes
    where organization_id = ${organizationId} and jti in (
      select jti from spent_passes
      where organization_id = ${organizationId} and expires_at < now() - interval '7 days'
      order by expires_at limit 100 for update skip locked
    )`,
)

type SpentPass = { readonly jti: string; readonly expSeconds: number }

/** Whoever comes second finds it spent. */
const spend = takesLong(
  statement(
    ({ organizationId, jti, expSeconds }: Given<SpentPass>) => sql<{ jti: string }>`
      insert into spent_passes (organization_id, jti, expires_at)
      values (${organizationId}, ${jti}, to_timestamp(${expSeconds}::double precision))
      on conflict (organization_id, jti) do nothing returning jti`,
  ),
)

export async function selectPage(
  db: OrganizationDb,
  { id: assetId }: Asset,
  request: PageRequest,
): Promise<Found<AccessToken>> {
  return toFound(await db.run(readPage({ assetId }, request), countOf({ assetId })))
}

export async function findToken(
  db: OrganizationDb,
  { id: assetId }: Asset,
  id: AccessTokenId,
): Promise<AccessToken | undefined> {
  const [[token]] = await db.run(byId({ assetId, id }))
  return token
}

/** Takes the opportunity to remove some that have long expired. */
export async function lockAndCountLive(
  tx: OrganizationDb,
  { id: assetId }: Asset,
): Promise<number> {
  const limit = LIVE_TOKENS_PER_ASSET_MAX
  const [, , [row]] = await tx.run(
    lockCreation({ assetId }),
    removeSomeExpired({}),
    countLive({ assetId, limit }),
  )
  return row?.count ?? 0
}

export async function insertToken(
  tx: OrganizationDb,
  { id: assetId }: Asset,
  token: NewAccessToken,
): Promise<AccessToken> {
  const [[row]] = await tx.run(insert({ assetId, ...token }))
  if (!row) throw new Error('An access token was not written')
  return row
}

export async function countRevoked(db: OrganizationDb): Promise<number> {
  const [rows] = await db.run(revokedTokens({ limit: REVOCATIONS_READ_MAX }))
  return rows.length
}

export async function markRevoked(
  db: OrganizationDb,
  { id: assetId }: Asset,
  id: AccessTokenId,
): Promise<void> {
  await db.run(revoke({ assetId, id }))
}

/** All that decides about an organization's passes, in one round trip. Undefined if there is no such organization. */
export async function findPassFacts(db: OrganizationDb): Promise<PassFacts | undefined> {
  const limit = REVOCATIONS_READ_MAX
  const [[organization], keys, revoked, gone] = await db.run(
    openness({}),
    publicKeys({}),
    revokedTokens({ limit }),
    goneQuery({}),
  )
  const isGone = gone.length > 0
  // Of one that is gone nothing else need be here any more.
  if (!organization && !isGone) return undefined
  const isOpen = organization?.isOpen ?? false
  return { isGone, isOpen, keys, revoked: revoked.map(({ id }) => id) }
}

/** False when somebody has been before. */
export async function insertSpent(db: OrganizationDb, pass: SpentPass): Promise<boolean> {
  const [, rows] = await db.run(removeSomeSpent({}), spend(pass))
  return rows.length > 0
}

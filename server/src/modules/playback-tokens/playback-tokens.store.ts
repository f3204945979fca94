import { accessTokens as contract } from '@reelkeep/contract'
import { sql } from 'kysely'
import type { AccessTokenId, AssetId } from '../../kernel/ids.ts'
import { lockNumber } from '../../platform/db/advisory-locks.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import type { PageRequest } from '../../platform/db/paging/keyset.ts'
import { keysetQuery, type RowsWithCount, toRowsWithCount } from '../../platform/db/paging/keyset-query.ts'
import { creating, dedicatedConnection, type Given, statement } from '../../platform/db/statement.ts'
import { type Absence, absenceQuery } from '../../platform/db/suspension.ts'
import type { Asset } from '../assets/assets.ts'
import { creatorColumns } from '../grants/grants.ts'
import { publicKeys, type SigningKey } from '../signing-keys/signing-keys.ts'
import {
  type AccessToken,
  ASSET_TOKEN_SECONDS_MAX,
  ENDED_CREATORS_MAX,
  LIVE_TOKENS_PER_ASSET_MAX,
  REVOCATIONS_READ_MAX,
} from './playback-tokens.rules.ts'

type OfAsset = { readonly assetId: AssetId }
type OfToken = OfAsset & { readonly id: AccessTokenId }

const ofAsset = ({ organizationId, assetId }: Given<OfAsset>) =>
  sql<boolean>`token.organization_id = ${organizationId} and token.asset_id = ${assetId}`

const columns = sql`token.id, token.viewer_id as "viewerId", token.is_single_use as "isSingleUse", token.referrers,
  token.networks, token.watermark, token.created_at as "createdAt", token.expires_at as "expiresAt",
  coalesce(token.revoked_at, (
    select creator.revoked_at from tokens as creator
    where creator.organization_id = token.organization_id and creator.id = token.created_by
      and creator.has_revoked_descendants
  ), (
    select playback_epoch_since from organizations
    where organizations.id = token.organization_id and playback_epoch > token.playback_epoch
  )) as "revokedAt", ${creatorColumns('token')},
  (select spent_at from spent_passes as spent
    where spent.organization_id = token.organization_id and spent.jti = token.id::text) as "usedAt"`

/** Newest first: ids are ordered by time. */
const readPage = keysetQuery(
  { columns: ['id'], direction: 'desc' },
  (given: Given<OfAsset>, { afterPosition, order, limit }) => sql<AccessToken>`
    select ${columns} from access_tokens as token
    where ${ofAsset(given)} and ${afterPosition} ${order} limit ${limit}`,
)

/** Counts the tokens of an asset. The number of expired ones is not limited, so the query may take long. */
const countOf = dedicatedConnection(
  statement(
    (given: Given<OfAsset>) => sql<{ count: number }>`
      select count(*) as count from access_tokens as token where ${ofAsset(given)}`,
  ),
)

const byId = statement(
  (given: Given<OfToken>) => sql<AccessToken>`
    select ${columns} from access_tokens as token where ${ofAsset(given)} and id = ${given.id}`,
)

/** Serializes token creation per asset, so that concurrent requests cannot exceed the limit together. */
const lockCreation = dedicatedConnection(
  statement(
    ({ organizationId, assetId }: Given<OfAsset>) => sql`
      select from (
        select pg_advisory_xact_lock(${lockNumber('newAccessToken', organizationId, assetId)})
      ) as locked`,
  ),
)

/** Expired tokens stay listed for a week. Rows that another transaction is removing are skipped. */
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

export type TokenPolicyRows = {
  /** Why the organization is not served here; null if it is. */
  readonly absence: Absence | null
  readonly isOpen: boolean
  readonly keys: readonly Pick<SigningKey, 'id' | 'publicKey'>[]
  /** Ids (`jti`) of revoked tokens. */
  readonly revoked: readonly string[]
  /** API tokens that were revoked or retired recently (`by`). */
  readonly endedCreators: readonly EndedCreator[]
  readonly epoch: number
}

export type EndedCreator = {
  readonly id: string
  /** It was revoked with everything that it created. */
  readonly withDescendants: boolean
}

export type NewAccessToken = Omit<AccessToken, 'createdAt' | 'creator' | 'expiresAt' | 'usedAt' | 'revokedAt'> & {
  /** Expiry in seconds since 1970. */
  readonly expSeconds: number
}

type InsertedToken = AccessToken & { readonly epoch: number }

const insert = creating(
  'access_token',
  'id',
  statement(
    (token: Given<OfAsset & NewAccessToken>) => sql<InsertedToken>`
    insert into access_tokens as token (organization_id, asset_id, id, viewer_id, is_single_use, referrers, networks,
      watermark, expires_at, created_by, playback_epoch)
    values (${token.organizationId}, ${token.assetId}, ${token.id}, ${token.viewerId}, ${token.isSingleUse},
      ${token.referrers}::text[], ${token.networks}::text[], ${token.watermark},
      to_timestamp(${token.expSeconds}::double precision), ${token.createdBy},
      (select playback_epoch from organizations where id = ${token.organizationId}))
    returning ${columns}, token.playback_epoch as "epoch"`,
  ),
)

const revoke = statement(
  (given: Given<OfToken>) => sql<{ id: AccessTokenId }>`
    update access_tokens as token set revoked_at = coalesce(revoked_at, now())
    where ${ofAsset(given)} and id = ${given.id} returning id`,
)

/** Revoked tokens that have not expired. Expired tokens and those of earlier epochs are refused anyway. */
const revokedTokens = statement(
  ({ organizationId, limit }: Given<{ limit: number }>) => sql<{ id: string }>`
    select id from access_tokens
    where organization_id = ${organizationId} and revoked_at is not null and expires_at > now()
      and playback_epoch = (select playback_epoch from organizations where id = ${organizationId})
    order by expires_at desc limit ${limit}`,
)

/**
 * API tokens that were revoked or retired while playback tokens created with them may still be unexpired: hours for
 * tokens in asset responses, up to a month for access tokens.
 */
const endedCreators = statement(
  ({ organizationId }: Given<object>) => sql<EndedCreator>`
    select id, has_revoked_descendants as "withDescendants" from tokens
    where organization_id = ${organizationId} and (revoked_at is not null or retires_at is not null)
      and least(revoked_at, retires_at) between
        now() - make_interval(secs => ${sql.lit(contract.LIFETIME_SECONDS_MAX)}) and now()
      and (has_revoked_descendants
        or least(revoked_at, retires_at) > now() - make_interval(secs => ${sql.lit(ASSET_TOKEN_SECONDS_MAX)}))
    limit ${sql.lit(ENDED_CREATORS_MAX + 1)}`,
)

const increase = statement(
  ({ organizationId }: Given<object>) => sql`
    update organizations set playback_epoch = playback_epoch + 1, playback_epoch_since = now()
    where id = ${organizationId}`,
)

const playbackOf = statement(
  ({ organizationId }: Given<object>) => sql<{ isOpen: boolean; epoch: number }>`
    select is_open as "isOpen", playback_epoch as "epoch" from organizations where id = ${organizationId}`,
)

/** Rows that another transaction is removing are skipped. */
const removeSomeSpent = statement(
  ({ organizationId }: Given<object>) => sql`
    delete from spent_passes
    where organization_id = ${organizationId} and jti in (
      select jti from spent_passes
      where organization_id = ${organizationId} and expires_at < now() - interval '7 days'
      order by expires_at limit 100 for update skip locked
    )`,
)

type SpentToken = { readonly jti: string; readonly expSeconds: number }

/** Returns no row if the token has been used before. */
const spend = dedicatedConnection(
  statement(
    ({ organizationId, jti, expSeconds }: Given<SpentToken>) => sql<{ jti: string }>`
      insert into spent_passes (organization_id, jti, expires_at)
      values (${organizationId}, ${jti}, to_timestamp(${expSeconds}::double precision))
      on conflict (organization_id, jti) do nothing returning jti`,
  ),
)

export async function selectPage(
  db: OrganizationDb,
  { id: assetId }: Asset,
  request: PageRequest,
): Promise<RowsWithCount<AccessToken>> {
  return toRowsWithCount(await db.run(readPage({ assetId }, request), countOf({ assetId })))
}

export async function findToken(
  db: OrganizationDb,
  { id: assetId }: Asset,
  id: AccessTokenId,
): Promise<AccessToken | undefined> {
  const [[token]] = await db.run(byId({ assetId, id }))
  return token
}

/** Locks token creation and counts the live tokens. Also removes some tokens that expired long ago. */
export async function lockAndCountLive(tx: OrganizationDb, { id: assetId }: Asset): Promise<number> {
  const limit = LIVE_TOKENS_PER_ASSET_MAX
  const [, , [row]] = await tx.run(lockCreation({ assetId }), removeSomeExpired({}), countLive({ assetId, limit }))
  return row?.count ?? 0
}

export async function insertToken(
  tx: OrganizationDb,
  { id: assetId }: Asset,
  token: NewAccessToken,
): Promise<InsertedToken> {
  const [[row]] = await tx.run(insert({ assetId, ...token }))
  if (!row) throw new Error('Inserting an access token returned no row')
  return row
}

export async function countRevoked(db: OrganizationDb): Promise<number> {
  const [rows] = await db.run(revokedTokens({ limit: REVOCATIONS_READ_MAX }))
  return rows.length
}

/** Revokes all tokens that the service signed for the organization. */
export async function increaseEpoch(db: OrganizationDb): Promise<void> {
  await db.run(increase({}))
}

export async function markRevoked(db: OrganizationDb, { id: assetId }: Asset, id: AccessTokenId): Promise<void> {
  await db.run(revoke({ assetId, id }))
}

/**
 * Reads everything that decides about an organization's playback tokens, in one round trip. Undefined if the
 * organization does not exist.
 */
export async function findTokenPolicy(db: OrganizationDb): Promise<TokenPolicyRows | undefined> {
  const limit = REVOCATIONS_READ_MAX
  const [[organization], keys, revoked, creators, [absent]] = await db.run(
    playbackOf({}),
    publicKeys({}),
    revokedTokens({ limit }),
    endedCreators({}),
    absenceQuery({}),
  )
  const absence = absent?.absence ?? null
  // An organization that is absent may have no other rows here.
  if (!organization && absence === null) return undefined
  const { isOpen, epoch } = organization ?? { isOpen: false, epoch: 0 }
  return { absence, isOpen, epoch, keys, revoked: revoked.map(({ id }) => id), endedCreators: creators }
}

/** Records the use of a single-use token. Returns false if it has been used before. */
export async function insertSpent(db: OrganizationDb, token: SpentToken): Promise<boolean> {
  const [, rows] = await db.run(removeSomeSpent({}), spend(token))
  return rows.length > 0
}

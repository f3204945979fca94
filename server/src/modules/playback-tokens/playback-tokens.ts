import { decodeProtectedHeader } from 'jose'
import { refused } from '../../kernel/errors.ts'
import { type AccessTokenId, type AssetId, newAccessTokenId } from '../../kernel/ids.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import { type PageRequest, type RowPage, toRowPage } from '../../platform/db/paging/keyset.ts'
import type { PlaybackBase } from '../../platform/http/route.ts'
import { type Asset, requireAsset, shareLockAsset } from '../assets/assets.ts'
import { type Grantor, lockGrant } from '../grants/grants.ts'
import { type AccessRequest, PlaybackAuthorizer } from './playback-authorizer.ts'
import {
  type AccessToken,
  type AssetReader,
  assertOpens,
  assertRoomForAccessToken,
  type Claims,
  denials,
  denied,
  downloadExpiry,
  expiryOf,
  REVOCATIONS_PER_ORGANIZATION_MAX,
  secondsLeft,
  type Viewer,
} from './playback-tokens.rules.ts'
import * as store from './playback-tokens.store.ts'
import { RevocationCache } from './revocation-cache.ts'
import { type PlaybackSecrets, TokenIssuer } from './token-issuer.ts'

export type { AccessRequest, AccessToken, Claims, PlaybackSecrets, Viewer }
export { assertOpens, downloadExpiry, PlaybackAuthorizer, RevocationCache, secondsLeft, TokenIssuer }

export type AccessTokenInput = {
  readonly assetId: AssetId
  readonly lifetimeSeconds: number
  readonly isSingleUse: boolean
  readonly viewerId: string | null
  readonly referrers: readonly string[]
  readonly networks: readonly string[]
  readonly watermark: string | null
}

/** A token with its text, which exists only here and in the response to its creator. */
export type IssuedAccessToken = AccessToken & { readonly text: string; readonly asset: Asset }

/** Creates a token that expires with its grantor at the latest. */
export async function createAccessToken(
  { tokenIssuer, grantor }: { readonly tokenIssuer: TokenIssuer; readonly grantor: Grantor },
  db: OrganizationDb,
  { assetId, lifetimeSeconds, ...input }: AccessTokenInput,
): Promise<IssuedAccessToken> {
  return db.transaction(async (tx) => {
    const { createdBy, expiresAt } = await lockGrant(tx, grantor)
    const asset = await shareLockAsset(tx, assetId)
    assertRoomForAccessToken(await store.lockAndCountLive(tx, asset))
    const iat = Math.floor(Date.now() / 1000)
    const exp = expiryOf(iat, lifetimeSeconds, expiresAt)
    const id = newAccessTokenId()
    const { epoch, ...token } = await store.insertToken(tx, asset, { ...input, id, createdBy, expSeconds: exp })
    const claims = { iss: db.organizationId, sub: asset.id, iat, exp, jti: id, epoch, ...rulesOf(token) }
    return { ...token, text: tokenIssuer.sign(claims), asset }
  })
}

const rulesOf = ({ viewerId, isSingleUse, referrers, networks, watermark, createdBy }: AccessToken) => ({
  ...(viewerId !== null && { viewer: viewerId }),
  ...(isSingleUse && { once: true as const }),
  ...(referrers.length > 0 && { referrers }),
  ...(networks.length > 0 && { networks }),
  ...(watermark !== null && { watermark }),
  ...(createdBy !== null && { by: createdBy }),
})

export async function listAccessTokens(
  db: OrganizationDb,
  assetId: AssetId,
  request: PageRequest,
): Promise<RowPage<AccessToken> & { count: number }> {
  const asset = await requireAsset(db, assetId)
  const { rows, count } = await store.selectPage(db, asset, request)
  return { ...toRowPage(rows, request, ({ id }) => [id]), count }
}

export async function requireAccessToken(
  db: OrganizationDb,
  assetId: AssetId,
  id: AccessTokenId,
): Promise<AccessToken> {
  return present(await store.findToken(db, await requireAsset(db, assetId), id))
}

/** Revokes a token. Idempotent. If too many are revoked, revokes all. */
export async function revokeAccessToken(db: OrganizationDb, assetId: AssetId, id: AccessTokenId): Promise<void> {
  const asset = await requireAsset(db, assetId)
  const { revokedAt } = present(await store.findToken(db, asset, id))
  if (revokedAt !== null) return
  await store.markRevoked(db, asset, id)
  if ((await store.countRevoked(db)) > REVOCATIONS_PER_ORGANIZATION_MAX) await store.increaseEpoch(db)
}

/** Revokes all tokens that the service signed, also those in asset responses. */
export async function revokeAllAccessTokens(db: OrganizationDb): Promise<void> {
  await store.increaseEpoch(db)
}

/**
 * Exchanges a single-use token for one that plays the video: the same claims without the single use. It expires and
 * is revoked together with the original. Only the first of several requests succeeds, also if they are concurrent.
 */
export async function redeemSingleUse(
  tokenIssuer: TokenIssuer,
  db: OrganizationDb,
  viewer: Viewer,
  { token, isGet }: { readonly token: string; readonly isGet: boolean },
): Promise<string> {
  // A HEAD request does not use the token up.
  if (viewer.token === 'open' || !isGet) throw denied(denials.entryOnly)
  const { once: _, ...claims } = viewer.token
  const isFirst = await store.insertSpent(db, { jti: claims.jti, expSeconds: claims.exp })
  if (!isFirst) throw denied(denials.used)
  const of = { jti: claims.jti, kid: decodeProtectedHeader(token).kid ?? '' }
  return tokenIssuer.sign({ ...claims, jti: newAccessTokenId(), of })
}

/** Returns the base of an asset's playback URLs in responses to a caller. */
export const playbackBaseFor =
  (tokenIssuer: TokenIssuer, playbackUrl: string) =>
  (reader: AssetReader): PlaybackBase =>
  ({ organizationId, id }) => {
    const token = tokenIssuer.forAsset(reader, id, new Date())
    return `${playbackUrl}/${token}/${organizationId}/${id}/`
  }

function present(token: AccessToken | undefined): AccessToken {
  if (token) return token
  throw refused('access_token_not_found', 'The access token does not exist in this asset.')
}

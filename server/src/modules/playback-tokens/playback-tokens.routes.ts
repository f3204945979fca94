import { accessTokens as contract } from '@reelkeep/contract'
import type { AccessTokenId, AssetId, OrganizationId } from '../../kernel/ids.ts'
import { isUuidKey } from '../../platform/db/paging/keyset.ts'
import { pageRequestOf, toPage } from '../../platform/http/page.ts'
import { type Api, route } from '../../platform/http/route.ts'
import { toCreator } from '../grants/grants.ts'
import {
  type AccessToken,
  createAccessToken,
  type IssuedAccessToken,
  listAccessTokens,
  requireAccessToken,
  revokeAccessToken,
  revokeAllAccessTokens,
  type TokenIssuer,
} from './playback-tokens.ts'

export type Tokens = {
  readonly tokenIssuer: TokenIssuer
  /** Drops what this instance has cached about the tokens of an organization. */
  readonly evict: (organizationId: OrganizationId) => void
  /** Base URL of all playback URLs. */
  readonly playbackUrl: string
}

export function registerAccessTokenRoutes(api: Api, tokens: Tokens): void {
  const { tokenIssuer, evict, playbackUrl } = tokens
  route(api, contract.createAccessToken, async ({ db, principal: grantor, params, body }) => {
    const issued = await createAccessToken({ tokenIssuer, grantor }, db, {
      assetId: params.asset_id as AssetId,
      lifetimeSeconds: body.expires_in_seconds ?? contract.LIFETIME_SECONDS_DEFAULT,
      isSingleUse: body.single_use ?? false,
      viewerId: body.viewer_id ?? null,
      referrers: body.referrers ?? [],
      networks: body.networks ?? [],
      watermark: body.watermark ?? null,
    })
    return toIssued(playbackUrl, issued)
  })

  route(api, contract.listAccessTokens, async ({ db, params, query, listUrl }) => {
    const request = pageRequestOf(query, isUuidKey)
    const page = await listAccessTokens(db, params.asset_id as AssetId, request)
    return toPage(listUrl, page, toToken)
  })

  route(api, contract.readAccessToken, async ({ db, params: { asset_id, access_token_id } }) =>
    toToken(await requireAccessToken(db, asset_id as AssetId, access_token_id as AccessTokenId)),
  )

  route(api, contract.revokeAccessToken, async ({ db, params, afterCommit }) => {
    afterCommit(() => evict(db.organizationId))
    const { asset_id, access_token_id } = params
    await revokeAccessToken(db, asset_id as AssetId, access_token_id as AccessTokenId)
  })

  route(api, contract.revokeAllAccessTokens, async ({ db, afterCommit }) => {
    afterCommit(() => evict(db.organizationId))
    await revokeAllAccessTokens(db)
  })
}

const toToken = (token: AccessToken): contract.AccessToken => ({
  id: token.id,
  viewer_id: token.viewerId,
  single_use: token.isSingleUse,
  referrers: [...token.referrers],
  networks: [...token.networks],
  watermark: token.watermark,
  created_at: token.createdAt,
  created_by: toCreator(token),
  expires_at: token.expiresAt,
  used_at: token.usedAt,
  revoked_at: token.revokedAt,
})

function toIssued(playbackUrl: string, issued: IssuedAccessToken): contract.NewAccessToken {
  const { text, asset } = issued
  const own = `${playbackUrl}/${text}/${asset.organizationId}/${asset.id}/`
  return {
    ...toToken(issued),
    token: text,
    playback_url: `${own}master.m3u8`,
    dash_url: asset.contentProtection === 'aes' ? null : `${own}manifest.mpd`,
  }
}

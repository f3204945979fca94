import { Type } from 'typebox'
import { bodyOf, Creator, closed, noParams, noQuery, nullable, timestampField } from '../fields.ts'
import { AssetId } from '../library/assets.ts'
import type { Operation } from '../operation.ts'
import { page, pageQuery } from '../page.ts'

/** Minimum lifetime of a token, which leaves room for clock skew and slow connections. */
const LIFETIME_SECONDS_MIN = 60
/** Maximum lifetime of a token. It is limited because an issued token cannot be changed. */
export const LIFETIME_SECONDS_MAX = 30 * 86_400
/** Default lifetime of a token, longer than nearly every video. */
export const LIFETIME_SECONDS_DEFAULT = 6 * 3600

/** Maximum number of rules per kind. The token is part of every playback URL, whose length is limited. */
export const RULES_MAX = 20
export const VIEWER_LENGTH_MAX = 128
export const WATERMARK_LENGTH_MAX = 100
const HOST_LENGTH_MAX = 100
/** Length of the longest IPv6 network in CIDR notation, in characters. */
const NETWORK_LENGTH_MAX = 43

const plainText = (length: number, description: string) =>
  Type.String({
    minLength: 1,
    maxLength: length,
    pattern: '^[^\\u0000-\\u001f\\u007f\\ud800-\\udfff]*$',
    description,
  })

const Referrer = Type.String({
  maxLength: HOST_LENGTH_MAX,
  pattern: '^(\\*\\.)?[a-z0-9]([a-z0-9.\\-]*[a-z0-9])?$',
  examples: ['*.example.com'],
})

const Network = Type.String({
  format: 'network',
  maxLength: NETWORK_LENGTH_MAX,
  examples: ['192.0.2.0/24'],
})

const accessTokenFields = {
  id: Type.String({ format: 'uuid' }),
  viewer_id: nullable(Type.String()),
  single_use: Type.Boolean(),
  referrers: Type.Array(Type.String(), { description: 'Empty if any site may play the video.' }),
  networks: Type.Array(Type.String(), { description: 'Empty if any network is allowed.' }),
  watermark: nullable(Type.String()),
  created_at: timestampField,
  created_by: Creator,
  expires_at: timestampField,
  used_at: nullable(timestampField, 'When a single-use token was used; null otherwise.'),
  revoked_at: nullable(timestampField, 'Null unless the token has been revoked.'),
}

/** Metadata of an access token. The token itself is returned once, on creation, and never stored. */
export const AccessToken = Type.Object(accessTokenFields, { title: 'AccessToken' })
export type AccessToken = Type.Static<typeof AccessToken>

export const NewAccessToken = Type.Object(
  {
    ...accessTokenFields,
    token: Type.String({
      description: 'The playback token, returned only once. It is part of the URLs below.',
    }),
    playback_url: Type.String({
      description: 'HLS URL with this token. It plays as soon as the asset has a `playback_url`.',
    }),
    dash_url: nullable(
      Type.String(),
      'MPEG-DASH URL with this token. It plays as soon as the asset has a `dash_url`; null for `aes`, which supports HLS only.',
    ),
  },
  { title: 'NewAccessToken' },
)
export type NewAccessToken = Type.Static<typeof NewAccessToken>

const onAsset = Type.Object({ asset_id: AssetId })
const onAccessToken = Type.Object({
  asset_id: AssetId,
  access_token_id: Type.String({ format: 'uuid' }),
})
const shared = { tag: 'Playback', idempotent: false } as const

export const createAccessToken = {
  ...shared,
  id: 'createAccessToken',
  method: 'POST',
  path: '/assets/:asset_id/access-tokens/',
  summary: 'Create an access token',
  description:
    'Creates a playback token for this video. Anyone who has the URL can watch until the token expires or is revoked; restrict it by site, network or single use to limit sharing.',
  scopes: ['playback:write'],
  params: onAsset,
  query: noQuery,
  body: bodyOf(
    {
      expires_in_seconds: Type.Optional(
        Type.Integer({
          minimum: LIFETIME_SECONDS_MIN,
          maximum: LIFETIME_SECONDS_MAX,
          default: LIFETIME_SECONDS_DEFAULT,
          description:
            'Lifetime, from 1 minute to 30 days; shorter if the API token that creates it expires earlier. Playback stops when the token expires.',
        }),
      ),
      single_use: Type.Optional(
        Type.Boolean({
          default: false,
          description: 'If true, the URL can be opened by one viewer only, who can watch to the end.',
        }),
      ),
      viewer_id: Type.Optional(nullable(plainText(VIEWER_LENGTH_MAX, 'Your own identifier of the viewer.'))),
      referrers: Type.Optional(
        Type.Array(Referrer, {
          maxItems: RULES_MAX,
          uniqueItems: true,
          description:
            'Hosts whose pages may play the video, checked against the `Origin` and `Referer` headers. `*.example.com` matches every subdomain of `example.com`.',
        }),
      ),
      networks: Type.Optional(
        Type.Array(Network, {
          maxItems: RULES_MAX,
          uniqueItems: true,
          description: 'IPv4 or IPv6 networks from which the video may be played, in CIDR notation.',
        }),
      ),
      watermark: Type.Optional(
        nullable(plainText(WATERMARK_LENGTH_MAX, 'Text that the player overlays on the video.')),
      ),
    },
    { expires_in_seconds: 3600, viewer_id: 'customer-42', referrers: ['*.example.com'] },
  ),
  success: { status: 201, body: NewAccessToken },
  idempotent: true,
  secretResponse: true,
  errors: ['asset_not_found', 'access_token_limit_reached'],
} as const satisfies Operation

export const listAccessTokens = {
  ...shared,
  id: 'listAccessTokens',
  method: 'GET',
  path: '/assets/:asset_id/access-tokens/',
  summary: 'List access tokens',
  description:
    'Returns the access tokens of the asset, newest first, without the token values. Tokens are removed a week after they expire. Tokens that you signed with a signing key are not listed.',
  scopes: ['playback:read'],
  params: onAsset,
  query: Type.Object(pageQuery, closed),
  body: undefined,
  success: { status: 200, body: page(AccessToken) },
  errors: ['asset_not_found', 'invalid_cursor'],
} as const satisfies Operation

export const readAccessToken = {
  ...shared,
  id: 'readAccessToken',
  method: 'GET',
  path: '/assets/:asset_id/access-tokens/:access_token_id/',
  summary: 'Retrieve an access token',
  description: 'Returns the properties of an access token, without the token value.',
  scopes: ['playback:read'],
  params: onAccessToken,
  query: noQuery,
  body: undefined,
  success: { status: 200, body: AccessToken },
  errors: ['asset_not_found', 'access_token_not_found'],
} as const satisfies Operation

export const revokeAccessToken = {
  ...shared,
  id: 'revokeAccessToken',
  method: 'DELETE',
  path: '/assets/:asset_id/access-tokens/:access_token_id/',
  summary: 'Revoke an access token',
  description:
    'Revokes the token everywhere within five seconds. Segments that a player has already loaded still play. An organization can have 10,000 revoked tokens that have not expired; the next revocation revokes all access tokens and playback URLs of the organization instead.',
  scopes: ['playback:write'],
  params: onAccessToken,
  query: noQuery,
  body: undefined,
  success: { status: 204, body: undefined },
  errors: ['asset_not_found', 'access_token_not_found'],
} as const satisfies Operation

export const revokeAllAccessTokens = {
  ...shared,
  id: 'revokeAllAccessTokens',
  isOrganizationWide: true,
  method: 'DELETE',
  path: '/access-tokens/',
  summary: 'Revoke all access tokens',
  description:
    'Revokes all access tokens of the organization and all playback URLs in earlier asset responses, everywhere within five seconds. Read an asset again to get new URLs. Tokens that you signed with a signing key are not affected: delete the key to revoke them.',
  scopes: ['playback:write'],
  params: noParams,
  query: noQuery,
  body: undefined,
  success: { status: 204, body: undefined },
  errors: [],
} as const satisfies Operation

export const operations = [
  createAccessToken,
  listAccessTokens,
  readAccessToken,
  revokeAccessToken,
  revokeAllAccessTokens,
] as const

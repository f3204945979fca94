import { Type } from 'typebox'
import { AssetId } from './assets.ts'
import { bodyOf, closed, noQuery, nullable, timestampField } from './fields.ts'
import type { Operation } from './operation.ts'
import { page, pageQuery } from './page.ts'

/** Shorter, and a viewer's clock or a slow line would eat it up. */
const LIFETIME_SECONDS_MIN = 60
/** A token cannot be changed once it is given out, so none lasts for ever. */
export const LIFETIME_SECONDS_MAX = 30 * 86_400
/** Longer than nearly every video. */
export const LIFETIME_SECONDS_DEFAULT = 6 * 3600

/** Of each kind of rule: a token travels in every address, and addresses are bounded. */
export const RULES_MAX = 20
export const VIEWER_LENGTH_MAX = 128
export const WATERMARK_LENGTH_MAX = 100
const HOST_LENGTH_MAX = 100
/** Of an IPv6 network. */
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
  referrers: Type.Array(Type.String(), { description: 'Empty: pages of every site.' }),
  networks: Type.Array(Type.String(), { description: 'Empty: from everywhere.' }),
  watermark: nullable(Type.String()),
  created_at: timestampField,
  expires_at: timestampField,
  used_at: nullable(timestampField, 'When a token for a single use was used; null otherwise.'),
  revoked_at: nullable(timestampField, 'Null: it is not revoked.'),
}

/** A token as it can be read: everything but itself, which is shown once and never stored. */
export const AccessToken = Type.Object(accessTokenFields, { title: 'AccessToken' })
export type AccessToken = Type.Static<typeof AccessToken>

export const NewAccessToken = Type.Object(
  {
    ...accessTokenFields,
    token: Type.String({
      description: 'The token itself, shown this once. It is a part of the addresses below.',
    }),
    playback_url: Type.String({
      description: 'HLS by this token. It plays once the asset has a `playback_url` of its own.',
    }),
    dash_url: nullable(
      Type.String(),
      'MPEG-DASH by this token, once the asset has a `dash_url`; null for `aes`, which is HLS only.',
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
  path: '/assets/:asset_id/access_tokens/',
  summary: 'Create an access token',
  description:
    'Lets somebody watch this video, and no other, until the token expires or is revoked. Whoever has the address has the token; rules make it worth less to others.',
  scope: 'playback:write',
  params: onAsset,
  query: noQuery,
  body: bodyOf(
    {
      expires_in_seconds: Type.Optional(
        Type.Integer({
          minimum: LIFETIME_SECONDS_MIN,
          maximum: LIFETIME_SECONDS_MAX,
          default: LIFETIME_SECONDS_DEFAULT,
          description: 'From a minute to 30 days. Playing stops when it expires.',
        }),
      ),
      single_use: Type.Optional(
        Type.Boolean({
          default: false,
          description:
            'Its address can be opened once; who opened it watches to the end, and nobody else begins.',
        }),
      ),
      viewer_id: Type.Optional(
        nullable(plainText(VIEWER_LENGTH_MAX, 'Who watches, in your own words.')),
      ),
      referrers: Type.Optional(
        Type.Array(Referrer, {
          maxItems: RULES_MAX,
          uniqueItems: true,
          description:
            'Only pages of these hosts may play it, as browsers tell by `Origin` and `Referer`. `*.example.com` is every host below `example.com`.',
        }),
      ),
      networks: Type.Optional(
        Type.Array(Network, {
          maxItems: RULES_MAX,
          uniqueItems: true,
          description: 'Only from addresses in these networks, IPv4 or IPv6, in CIDR notation.',
        }),
      ),
      watermark: Type.Optional(
        nullable(plainText(WATERMARK_LENGTH_MAX, 'What the player writes over the picture.')),
      ),
    },
    { expires_in_seconds: 3600, viewer_id: 'customer-42', referrers: ['*.example.com'] },
  ),
  success: { status: 201, body: NewAccessToken },
  idempotent: true,
  secretAnswer: true,
  errors: ['asset_not_found', 'access_token_limit_reached'],
} as const satisfies Operation

export const listAccessTokens = {
  ...shared,
  id: 'listAccessTokens',
  method: 'GET',
  path: '/assets/:asset_id/access_tokens/',
  summary: 'List access tokens',
  description:
    'Newest first, without the tokens themselves. Those that expired a week ago are forgotten; those that were signed with a signing key are not known here.',
  scope: 'playback:read',
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
  path: '/assets/:asset_id/access_tokens/:access_token_id/',
  summary: 'Read an access token',
  description: 'Everything but the token itself.',
  scope: 'playback:read',
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
  path: '/assets/:asset_id/access_tokens/:access_token_id/',
  summary: 'Revoke an access token',
  description:
    'At once on the instance that answers, within five seconds on every other and at the edge. What a viewer has loaded by then still plays.',
  scope: 'playback:write',
  params: onAccessToken,
  query: noQuery,
  body: undefined,
  success: { status: 204, body: undefined },
  errors: ['asset_not_found', 'access_token_not_found', 'revocation_limit_reached'],
} as const satisfies Operation

/** In the order of the reference. */
export const operations = [
  createAccessToken,
  listAccessTokens,
  readAccessToken,
  revokeAccessToken,
] as const

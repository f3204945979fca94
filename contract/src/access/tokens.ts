import { Type } from 'typebox'
import { bodyOf, Creator, closed, flag, noParams, noQuery, nullable, timestampField, titleField } from '../fields.ts'
import { FolderUuid } from '../library/folders.ts'
import type { Operation } from '../operation.ts'
import { page, pageQuery } from '../page.ts'
import { scopes } from '../scopes.ts'

const ScopeName = Type.Enum([...scopes], { type: 'string' })

const tokenFields = {
  id: Type.String({ format: 'uuid' }),
  name: Type.String(),
  scopes: Type.Array(ScopeName),
  folder_uuid: nullable(
    FolderUuid,
    'The only folder that the token can access, with everything below it; null for all.',
  ),
  created_at: timestampField,
  created_by: Creator,
  expires_at: nullable(timestampField, 'Null if the token does not expire.'),
  revoked_at: nullable(timestampField, 'Null unless the token has been revoked.'),
  last_used_at: nullable(timestampField, 'Accurate to about one minute; null if the token has not been used.'),
}

/** Metadata of an API token. Its secret is returned once, on creation, and never stored. */
export const Token = Type.Object(tokenFields, { title: 'Token' })
export type Token = Type.Static<typeof Token>

export const NewToken = Type.Object(
  {
    ...tokenFields,
    token: Type.String({
      description: 'The API token, returned only once. Store it securely.',
    }),
  },
  { title: 'NewToken' },
)
export type NewToken = Type.Static<typeof NewToken>

const onToken = Type.Object({ token_id: Type.String({ format: 'uuid' }) })
const shared = { tag: 'Tokens', idempotent: false } as const

export const createToken = {
  ...shared,
  id: 'createToken',
  needsRecentSignIn: true,
  method: 'POST',
  path: '/tokens/',
  summary: 'Create a token',
  description:
    'Creates an API token. It can only have scopes and folders of the token that creates it, and cannot outlive that token.',
  scopes: ['tokens:write'],
  params: noParams,
  query: noQuery,
  body: bodyOf(
    {
      name: titleField,
      scopes: Type.Array(ScopeName, { minItems: 1, maxItems: scopes.length, uniqueItems: true }),
      folder_uuid: Type.Optional(
        nullable(
          Type.String({ maxLength: 64 }),
          'Limits the token to this folder and everything below it. If omitted or null, the token has the limit of the token that creates it, or none if that one has none.',
        ),
      ),
      expires_at: Type.Optional(
        nullable(
          Type.String({ format: 'date-time', maxLength: 64 }),
          'Expiration time. If omitted or null, the token expires together with the token that creates it, or never if that one does not expire.',
        ),
      ),
    },
    { name: 'Catalog reader', scopes: ['folders:read'] },
  ),
  success: { status: 201, body: NewToken },
  idempotent: true,
  secretResponse: true,
  errors: ['invalid_title', 'invalid_expiry', 'token_limit_reached', 'target_folder_not_found'],
} as const satisfies Operation

export const listTokens = {
  ...shared,
  id: 'listTokens',
  method: 'GET',
  path: '/tokens/',
  summary: 'List tokens',
  description: 'Returns all tokens, newest first, including revoked and expired ones.',
  scopes: ['tokens:read'],
  params: noParams,
  query: Type.Object(pageQuery, closed),
  body: undefined,
  success: { status: 200, body: page(Token) },
  errors: ['invalid_cursor'],
} as const satisfies Operation

export const readCurrentToken = {
  ...shared,
  id: 'readCurrentToken',
  method: 'GET',
  path: '/tokens/current/',
  summary: 'Retrieve the current token',
  description: 'Returns the scopes and the expiration time of the token that authenticates this request.',
  scopes: [],
  params: noParams,
  query: noQuery,
  body: undefined,
  success: { status: 200, body: Token },
  errors: [],
} as const satisfies Operation

export const readToken = {
  ...shared,
  id: 'readToken',
  method: 'GET',
  path: '/tokens/:token_id/',
  summary: 'Retrieve a token',
  description: 'Returns the properties of a token, without its secret.',
  scopes: ['tokens:read'],
  params: onToken,
  query: noQuery,
  body: undefined,
  success: { status: 200, body: Token },
  errors: ['token_not_found'],
} as const satisfies Operation

export const rotateToken = {
  ...shared,
  id: 'rotateToken',
  needsRecentSignIn: true,
  method: 'POST',
  path: '/tokens/:token_id/rotate/',
  summary: 'Rotate a token',
  description:
    'Creates a new token with the same name, scopes and folder. The old token stays valid for `overlap_seconds`, so that clients can switch without downtime.',
  scopes: ['tokens:write'],
  params: onToken,
  query: noQuery,
  body: bodyOf(
    {
      overlap_seconds: Type.Optional(Type.Integer({ minimum: 0, maximum: 604_800, default: 3600 })),
    },
    { overlap_seconds: 60 },
  ),
  success: { status: 201, body: NewToken },
  idempotent: true,
  secretResponse: true,
  errors: ['token_not_found', 'token_not_live', 'token_limit_reached'],
} as const satisfies Operation

export const revokeToken = {
  ...shared,
  id: 'revokeToken',
  needsRecentSignIn: true,
  method: 'DELETE',
  path: '/tokens/:token_id/',
  summary: 'Revoke a token',
  description:
    'Revokes the token on all instances within two seconds. A token can revoke itself and tokens whose scopes it has. With `descendants`, also revokes everything that was created with the token, and with the tokens that it created: tokens are revoked, members who were invited with them are removed, signing keys are deleted, webhooks are disabled and access tokens are revoked.',
  scopes: ['tokens:write'],
  params: onToken,
  query: Type.Object({ descendants: flag('Also revoke what was created with the token.') }, closed),
  body: undefined,
  success: { status: 204, body: undefined },
  errors: ['token_not_found', 'last_owner'],
} as const satisfies Operation

export const operations = [createToken, listTokens, readCurrentToken, readToken, rotateToken, revokeToken] as const

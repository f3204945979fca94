import { Type } from 'typebox'
import {
  bodyOf,
  closed,
  noParams,
  noQuery,
  nullable,
  timestampField,
  titleField,
} from './fields.ts'
import type { Operation } from './operation.ts'
import { page, pageQuery } from './page.ts'
import { scopes } from './scopes.ts'

const ScopeName = Type.Enum([...scopes], { type: 'string' })

const tokenFields = {
  id: Type.String({ format: 'uuid' }),
  name: Type.String(),
  scopes: Type.Array(ScopeName),
  created_at: timestampField,
  expires_at: nullable(timestampField, 'Null: it does not expire.'),
  revoked_at: nullable(timestampField, 'Null: it is not revoked.'),
  last_used_at: nullable(timestampField, 'Exact to about a minute.'),
}

/** A token as it can be read: everything but the secret, which is shown once and never stored. */
export const Token = Type.Object(tokenFields, { title: 'Token' })
export type Token = Type.Static<typeof Token>

export const NewToken = Type.Object(
  {
    ...tokenFields,
    token: Type.String({
      description: 'The token itself, shown this once. Keep it where secrets are kept.',
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
  method: 'POST',
  path: '/tokens/',
  summary: 'Create a token',
  description: 'It has no scope that the token which creates it lacks, and does not outlive it.',
  scope: 'tokens:write',
  params: noParams,
  query: noQuery,
  body: bodyOf(
    {
      name: titleField,
      scopes: Type.Array(ScopeName, { minItems: 1, maxItems: scopes.length, uniqueItems: true }),
      expires_at: Type.Optional(
        nullable(
          Type.String({ format: 'date-time', maxLength: 64 }),
          'Absent or null: as long as the token that creates it, which may be for ever.',
        ),
      ),
    },
    { name: 'Catalogue reader', scopes: ['folders:read'] },
  ),
  success: { status: 201, body: NewToken },
  idempotent: true,
  secretAnswer: true,
  errors: ['invalid_title', 'invalid_expiry', 'token_limit_reached'],
} as const satisfies Operation

export const listTokens = {
  ...shared,
  id: 'listTokens',
  method: 'GET',
  path: '/tokens/',
  summary: 'List tokens',
  description: 'Newest first, revoked and expired ones included.',
  scope: 'tokens:read',
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
  summary: 'Read the token in use',
  description: 'What the token of this request may do, and until when.',
  scope: null,
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
  summary: 'Read a token',
  description: 'Everything but its secret.',
  scope: 'tokens:read',
  params: onToken,
  query: noQuery,
  body: undefined,
  success: { status: 200, body: Token },
  errors: ['token_not_found'],
} as const satisfies Operation

export const rotateToken = {
  ...shared,
  id: 'rotateToken',
  method: 'POST',
  path: '/tokens/:token_id/rotate/',
  summary: 'Rotate a token',
  description:
    'Answers a new token of the same name and scopes. The old one goes on for `overlap_seconds`, so that callers can change over without a gap.',
  scope: 'tokens:write',
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
  secretAnswer: true,
  errors: ['token_not_found', 'token_not_live', 'token_limit_reached'],
} as const satisfies Operation

export const revokeToken = {
  ...shared,
  id: 'revokeToken',
  method: 'DELETE',
  path: '/tokens/:token_id/',
  summary: 'Revoke a token',
  description: 'At once on the instance that answers, within two seconds on every other.',
  scope: 'tokens:write',
  params: onToken,
  query: noQuery,
  body: undefined,
  success: { status: 204, body: undefined },
  errors: ['token_not_found'],
} as const satisfies Operation

/** In the order of the reference. */
export const operations = [
  createToken,
  listTokens,
  readCurrentToken,
  readToken,
  rotateToken,
  revokeToken,
] as const

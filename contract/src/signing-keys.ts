import { Type } from 'typebox'
import { bodyOf, closed, noParams, noQuery, timestampField, titleField } from './fields.ts'
import type { Operation } from './operation.ts'
import { page, pageQuery } from './page.ts'

/** One in use and one that follows it, for a few websites. */
export const SIGNING_KEYS_MAX = 10

const signingKeyFields = {
  id: Type.String({
    format: 'uuid',
    description: 'The `kid` in the header of a token that it signs.',
  }),
  name: Type.String(),
  public_key: Type.String({ description: 'Ed25519, as PEM.' }),
  created_at: timestampField,
}

export const SigningKey = Type.Object(signingKeyFields, { title: 'SigningKey' })
export type SigningKey = Type.Static<typeof SigningKey>

export const NewSigningKey = Type.Object(
  {
    ...signingKeyFields,
    private_key: Type.String({
      description: 'PKCS #8, as PEM; shown this once. Keep it where secrets are kept.',
    }),
    private_jwk: Type.Object(
      {
        kty: Type.Literal('OKP'),
        crv: Type.Literal('Ed25519'),
        x: Type.String(),
        d: Type.String(),
        kid: Type.String(),
        alg: Type.Literal('EdDSA'),
        use: Type.Literal('sig'),
      },
      { description: 'The same as a JSON Web Key.' },
    ),
  },
  { title: 'NewSigningKey' },
)
export type NewSigningKey = Type.Static<typeof NewSigningKey>

const shared = { tag: 'Playback', idempotent: false } as const
const onSigningKey = Type.Object({ signing_key_id: Type.String({ format: 'uuid' }) })

export const createSigningKey = {
  ...shared,
  id: 'createSigningKey',
  method: 'POST',
  path: '/signing_keys/',
  summary: 'Create a signing key',
  description:
    'With it your own backend signs playback tokens for any of your videos, without a call to this API. Up to 10 count at the same time, so that one can follow another without a gap.',
  scope: 'tokens:write',
  params: noParams,
  query: noQuery,
  body: bodyOf({ name: titleField }, { name: 'Website' }),
  success: { status: 201, body: NewSigningKey },
  idempotent: true,
  secretAnswer: true,
  errors: ['invalid_title', 'signing_key_limit_reached'],
} as const satisfies Operation

export const listSigningKeys = {
  ...shared,
  id: 'listSigningKeys',
  method: 'GET',
  path: '/signing_keys/',
  summary: 'List signing keys',
  description: 'Newest first, with their public halves.',
  scope: 'tokens:read',
  params: noParams,
  query: Type.Object(pageQuery, closed),
  body: undefined,
  success: { status: 200, body: page(SigningKey) },
  errors: ['invalid_cursor'],
} as const satisfies Operation

export const deleteSigningKey = {
  ...shared,
  id: 'deleteSigningKey',
  method: 'DELETE',
  path: '/signing_keys/:signing_key_id/',
  summary: 'Delete a signing key',
  description:
    'Tokens that it signed are no longer valid: at once on the instance that answers, within five seconds on every other and at the edge.',
  scope: 'tokens:write',
  params: onSigningKey,
  query: noQuery,
  body: undefined,
  success: { status: 204, body: undefined },
  errors: ['signing_key_not_found'],
} as const satisfies Operation

/** In the order of the reference. */
export const operations = [createSigningKey, listSigningKeys, deleteSigningKey] as const

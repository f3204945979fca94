import { Type } from 'typebox'
import { bodyOf, Creator, closed, noParams, noQuery, nullable, timestampField, titleField } from '../fields.ts'
import type { Operation } from '../operation.ts'
import { page, pageQuery } from '../page.ts'

/** Maximum number of signing keys: enough for an active key and its successor for each of several websites. */
export const SIGNING_KEYS_MAX = 10

const signingKeyFields = {
  id: Type.String({
    format: 'uuid',
    description: 'Key identifier, used as `kid` in the header of signed tokens.',
  }),
  name: Type.String(),
  public_key: Type.String({ description: 'Ed25519 public key in PEM format.' }),
  created_at: timestampField,
  expires_at: nullable(
    timestampField,
    'Tokens signed with the key are refused from then on. Null if it does not expire.',
  ),
  created_by: Creator,
}

export const SigningKey = Type.Object(signingKeyFields, { title: 'SigningKey' })
export type SigningKey = Type.Static<typeof SigningKey>

export const NewSigningKey = Type.Object(
  {
    ...signingKeyFields,
    private_key: Type.String({
      description: 'Private key (PKCS #8) in PEM format, returned only once. Store it securely.',
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
      { description: 'The private key as a JSON Web Key.' },
    ),
  },
  { title: 'NewSigningKey' },
)
export type NewSigningKey = Type.Static<typeof NewSigningKey>

const shared = { tag: 'Playback', idempotent: false, isOrganizationWide: true } as const
const onSigningKey = Type.Object({ signing_key_id: Type.String({ format: 'uuid' }) })

export const createSigningKey = {
  ...shared,
  id: 'createSigningKey',
  needsRecentSignIn: true,
  method: 'POST',
  path: '/signing-keys/',
  summary: 'Create a signing key',
  description:
    'Creates a key with which your backend can sign playback tokens for any of your videos without calling this API. Up to 10 keys can be active at the same time, which allows rotation without downtime.',
  scopes: ['keys:write'],
  params: noParams,
  query: noQuery,
  body: bodyOf(
    {
      name: titleField,
      expires_at: Type.Optional(
        nullable(
          Type.String({ format: 'date-time', maxLength: 64 }),
          'Expiration time. If omitted or null, the key expires together with the token that creates it, or never if that one does not expire.',
        ),
      ),
    },
    { name: 'Website' },
  ),
  success: { status: 201, body: NewSigningKey },
  idempotent: true,
  secretResponse: true,
  errors: ['invalid_title', 'invalid_expiry', 'signing_key_limit_reached'],
} as const satisfies Operation

export const listSigningKeys = {
  ...shared,
  id: 'listSigningKeys',
  method: 'GET',
  path: '/signing-keys/',
  summary: 'List signing keys',
  description: 'Returns the signing keys with their public keys, newest first.',
  scopes: ['tokens:read'],
  params: noParams,
  query: Type.Object(pageQuery, closed),
  body: undefined,
  success: { status: 200, body: page(SigningKey) },
  errors: ['invalid_cursor'],
} as const satisfies Operation

export const deleteSigningKey = {
  ...shared,
  id: 'deleteSigningKey',
  needsRecentSignIn: true,
  method: 'DELETE',
  path: '/signing-keys/:signing_key_id/',
  summary: 'Delete a signing key',
  description: 'Deletes the key. All tokens signed with it become invalid within five seconds.',
  scopes: ['keys:write'],
  params: onSigningKey,
  query: noQuery,
  body: undefined,
  success: { status: 204, body: undefined },
  errors: ['signing_key_not_found'],
} as const satisfies Operation

export const operations = [createSigningKey, listSigningKeys, deleteSigningKey] as const

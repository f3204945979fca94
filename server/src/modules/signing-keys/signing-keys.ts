/**
 * Keys with which an organization signs playback tokens itself. Only the public half is stored: a reader of the
 * database can verify tokens but not sign them.
 */
import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { refused } from '../../kernel/errors.ts'
import { newSigningKeyId, type SigningKeyId } from '../../kernel/ids.ts'
import { cleanTitle } from '../../kernel/title.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import { type PageRequest, type RowPage, toRowPage } from '../../platform/db/paging/keyset.ts'
import { asExpiry, type Grantor, lockGrant } from '../grants/grants.ts'
import { assertRoomForKey, type SigningKey } from './signing-keys.rules.ts'
import * as store from './signing-keys.store.ts'

export type { SigningKey }

/** A key with its private half, which exists only here and in the response to its creator. */
export type NewSigningKey = SigningKey & { readonly privateKey: KeyObject }

export type SigningKeyInput = { readonly name: string; readonly expiresAt: string | null }

export async function createSigningKey(
  db: OrganizationDb,
  grantor: Grantor,
  input: SigningKeyInput,
): Promise<NewSigningKey> {
  const name = cleanTitle(input.name, 'name')
  const pair = generateKeyPairSync('ed25519')
  const { x = '' } = pair.publicKey.export({ format: 'jwk' })
  const publicKey = Buffer.from(x, 'base64url')
  return db.transaction(async (tx) => {
    const { createdBy, ...grant } = await lockGrant(tx, grantor)
    const expiresAt = asExpiry(input.expiresAt, grant.expiresAt, new Date())
    assertRoomForKey(await store.lockAndCountKeys(tx))
    const key = await store.insertKey(tx, { id: newSigningKeyId(), name, publicKey, expiresAt, createdBy })
    return { ...key, privateKey: pair.privateKey }
  })
}

export async function listSigningKeys(
  db: OrganizationDb,
  request: PageRequest,
): Promise<RowPage<SigningKey> & { count: number }> {
  const { rows, count } = await store.selectPage(db, request)
  return { ...toRowPage(rows, request, ({ id }) => [id]), count }
}

/** Deletes the key. Tokens that it signed are no longer accepted. */
export async function deleteSigningKey(db: OrganizationDb, id: SigningKeyId): Promise<void> {
  if (await store.deleteKey(db, id)) return
  throw refused('signing_key_not_found', 'The signing key does not exist in this organization.')
}

/** The public keys as a query, so that callers can combine it with others in one round trip. */
export const publicKeys = store.publicKeys

export const keyOf = ({ publicKey }: Pick<SigningKey, 'publicKey'>): KeyObject =>
  createPublicKey({
    key: { kty: 'OKP', crv: 'Ed25519', x: publicKey.toString('base64url') },
    format: 'jwk',
  })

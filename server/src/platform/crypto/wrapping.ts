/**
 * Encrypts secrets with the operator's keys (AES-256-GCM). A wrapped secret is bound to its location: it
 * cannot be decrypted in another row, with another key, or after a change of any bit.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { KeyRing } from '../config/key-settings.ts'

const NONCE_BYTES = 12
const TAG_BYTES = 16

/** Where a secret is kept. */
export type SecretLocation = {
  /** Additional authenticated data; unique per location. */
  readonly boundTo: string
  /** Name of the secret in messages for the operator. */
  readonly name: string
}

export type Sealed = { readonly keyEncryptionId: string; readonly wrapped: Buffer }

/** A secret cannot be decrypted. The message states what the operator should do, and contains no secret. */
export class KeyUnavailable extends Error {
  override readonly name = 'KeyUnavailable'
}

/** Encrypts a secret with the first key of the ring. */
export function seal([{ id, key }]: KeyRing, location: SecretLocation, secret: Buffer): Sealed {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(location.boundTo))
  const sealed = Buffer.concat([cipher.update(secret), cipher.final()])
  return { keyEncryptionId: id, wrapped: Buffer.concat([nonce, sealed, cipher.getAuthTag()]) }
}

export function unseal(
  ring: KeyRing,
  location: SecretLocation,
  { keyEncryptionId, wrapped }: Sealed,
): Buffer<ArrayBuffer> {
  const key = ring.find(({ id }) => id === keyEncryptionId)?.key
  if (!key) throw new KeyUnavailable(`${cannotDecrypt(location)} ${missingKey(keyEncryptionId)}`)
  try {
    const nonce = wrapped.subarray(0, NONCE_BYTES)
    const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES })
      .setAAD(Buffer.from(location.boundTo))
      .setAuthTag(wrapped.subarray(-TAG_BYTES))
    const sealed = wrapped.subarray(NONCE_BYTES, -TAG_BYTES)
    return Buffer.concat([decipher.update(sealed), decipher.final()])
  } catch {
    throw new KeyUnavailable(`${cannotDecrypt(location)} ${wrongKey(keyEncryptionId)}`)
  }
}

const cannotDecrypt = ({ name }: SecretLocation) => `${name} cannot be decrypted:`

const missingKey = (id: string) =>
  `it is encrypted with the key "${id}", which is missing in KEY_ENCRYPTION_KEYS. Add that key again.`

const wrongKey = (id: string) =>
  `the key "${id}" in KEY_ENCRYPTION_KEYS is not the one it was encrypted with, or the row is damaged. Restore the right key, or the row from a backup.`

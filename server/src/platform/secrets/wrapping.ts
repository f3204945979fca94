/**
 * Secrets that we must be able to read again, kept under the operator's keys. A wrapped one is
 * bound to its place: in another row it opens to nothing, as it does under another key or with a
 * bit changed.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { KeyRing } from '../config/key-settings.ts'

const NONCE_BYTES = 12
const TAG_BYTES = 16

/** Where a secret is kept. */
export type Place = {
  /** The same for one place alone, of all that is wrapped with the operator's keys. */
  readonly boundTo: string
  /** What is kept there, for the operator. */
  readonly name: string
}

export type Sealed = { readonly keyEncryptionId: string; readonly wrapped: Buffer }

/** The secret is not to be had. The message tells the operator what to do, and holds no secret. */
export class KeyUnavailable extends Error {
  override readonly name = 'KeyUnavailable'
}

/** With the first key of the ring. */
export function seal([{ id, key }]: KeyRing, place: Place, secret: Buffer): Sealed {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(place.boundTo))
  const sealed = Buffer.concat([cipher.update(secret), cipher.final()])
  return { keyEncryptionId: id, wrapped: Buffer.concat([nonce, sealed, cipher.getAuthTag()]) }
}

export function unseal(
  ring: KeyRing,
  place: Place,
  { keyEncryptionId, wrapped }: Sealed,
): Buffer<ArrayBuffer> {
  const key = ring.find(({ id }) => id === keyEncryptionId)?.key
  if (!key) throw new KeyUnavailable(`${told(place)} ${notHeld(keyEncryptionId)}`)
  try {
    const nonce = wrapped.subarray(0, NONCE_BYTES)
    const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES })
      .setAAD(Buffer.from(place.boundTo))
      .setAuthTag(wrapped.subarray(-TAG_BYTES))
    const sealed = wrapped.subarray(NONCE_BYTES, -TAG_BYTES)
    return Buffer.concat([decipher.update(sealed), decipher.final()])
  } catch {
    throw new KeyUnavailable(`${told(place)} ${notOpened(keyEncryptionId)}`)
  }
}

const told = ({ name }: Place) => `${name} is not to be had:`

const notHeld = (id: string) =>
  `it is wrapped with the key-encryption key "${id}", which KEY_ENCRYPTION_KEYS does not hold. Add that key again.`

const notOpened = (id: string) =>
  `the key-encryption key "${id}" does not open it. KEY_ENCRYPTION_KEYS has another key under that id than the one it was wrapped with, or the row is damaged. Put back the right key, or the row from a backup.`

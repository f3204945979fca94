/**
 * Master keys under the operator's keys. A wrapped one is bound to its organization and generation: in another row it opens to
 * nothing, as it does under another key or with a bit changed.
 */
import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  type KeyObject,
  randomBytes,
} from 'node:crypto'
import type { OrganizationId } from '../../kernel/ids.ts'
import type { KeyRing } from '../../platform/config/key-settings.ts'

const MASTER_KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16

export type MasterKeyPlace = {
  readonly organizationId: OrganizationId
  readonly generation: number
}

export type WrappedKey = { readonly keyEncryptionId: string; readonly wrapped: Buffer }

/** The key is not to be had. The message tells the operator what to do, and holds no secret. */
export class KeyUnavailable extends Error {
  override readonly name = 'KeyUnavailable'
}

export const newMasterKey = (): KeyObject => createSecretKey(randomBytes(MASTER_KEY_BYTES))

/** With the first key of the ring. */
export function wrap([{ id, key }]: KeyRing, place: MasterKeyPlace, master: KeyObject): WrappedKey {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(boundTo(place))
  const sealed = Buffer.concat([cipher.update(master.export()), cipher.final()])
  return { keyEncryptionId: id, wrapped: Buffer.concat([nonce, sealed, cipher.getAuthTag()]) }
}

export function unwrap(
  ring: KeyRing,
  place: MasterKeyPlace,
  { keyEncryptionId, wrapped }: WrappedKey,
): KeyObject {
  const key = ring.find(({ id }) => id === keyEncryptionId)?.key
  if (!key) throw new KeyUnavailable(`${told(place)} ${notHeld(keyEncryptionId)}`)
  const nonce = wrapped.subarray(0, NONCE_BYTES)
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES })
    .setAAD(boundTo(place))
    .setAuthTag(wrapped.subarray(-TAG_BYTES))
  try {
    const sealed = wrapped.subarray(NONCE_BYTES, -TAG_BYTES)
    return createSecretKey(Buffer.concat([decipher.update(sealed), decipher.final()]))
  } catch {
    throw new KeyUnavailable(`${told(place)} ${notOpened(keyEncryptionId)}`)
  }
}

const boundTo = ({ organizationId, generation }: MasterKeyPlace) =>
  Buffer.from(`${organizationId}/${generation}`)

const told = ({ organizationId, generation }: MasterKeyPlace) =>
  `Master key ${generation} of organization ${organizationId} is not to be had:`

const notHeld = (id: string) =>
  `it is wrapped with the key-encryption key "${id}", which KEY_ENCRYPTION_KEYS does not hold. Add that key again.`

const notOpened = (id: string) =>
  `the key-encryption key "${id}" does not open it. KEY_ENCRYPTION_KEYS has another key under that id than the one it was wrapped with, or the row is damaged. Put back the right key, or the row from a backup.`

/** Wraps master keys with the operator's keys, bound to the organization and generation. */
import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import type { OrganizationId } from '../../kernel/ids.ts'
import type { KeyRing } from '../../platform/config/key-settings.ts'
import { type Sealed, type SecretLocation, seal, unseal } from '../../platform/crypto/wrapping.ts'

const MASTER_KEY_BYTES = 32

export type MasterKeyId = {
  readonly organizationId: OrganizationId
  readonly generation: number
}

export const newMasterKey = (): KeyObject => createSecretKey(randomBytes(MASTER_KEY_BYTES))

/** Wraps with the first key of the ring. */
export const wrap = (ring: KeyRing, id: MasterKeyId, master: KeyObject): Sealed =>
  seal(ring, locationOf(id), master.export())

export const unwrap = (ring: KeyRing, id: MasterKeyId, wrapped: Sealed): KeyObject =>
  createSecretKey(unseal(ring, locationOf(id), wrapped))

// `boundTo` must never change, because existing rows are bound to its value.
const locationOf = ({ organizationId, generation }: MasterKeyId): SecretLocation => ({
  boundTo: `${organizationId}/${generation}`,
  name: `Master key ${generation} of organization ${organizationId}`,
})

/** Master keys under the operator's keys, each bound to its organization and generation. */
import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import type { OrganizationId } from '../../kernel/ids.ts'
import type { KeyRing } from '../../platform/config/key-settings.ts'
import { type Place, type Sealed, seal, unseal } from '../../platform/secrets/wrapping.ts'

const MASTER_KEY_BYTES = 32

export type MasterKeyPlace = {
  readonly organizationId: OrganizationId
  readonly generation: number
}

export const newMasterKey = (): KeyObject => createSecretKey(randomBytes(MASTER_KEY_BYTES))

/** With the first key of the ring. */
export const wrap = (ring: KeyRing, place: MasterKeyPlace, master: KeyObject): Sealed =>
  seal(ring, placeOf(place), master.export())

export const unwrap = (ring: KeyRing, place: MasterKeyPlace, wrapped: Sealed): KeyObject =>
  createSecretKey(unseal(ring, placeOf(place), wrapped))

// What is bound is in rows that exist: another form would open none of them.
const placeOf = ({ organizationId, generation }: MasterKeyPlace): Place => ({
  boundTo: `${organizationId}/${generation}`,
  name: `Master key ${generation} of organization ${organizationId}`,
})

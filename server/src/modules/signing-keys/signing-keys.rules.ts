import { signingKeys as contract } from '@reelkeep/contract'
import { refused } from '../../kernel/errors.ts'
import type { SigningKeyId } from '../../kernel/ids.ts'
import type { Timestamp } from '../../kernel/time.ts'
import type { CreatorRow } from '../grants/grants.ts'

export type SigningKey = {
  readonly id: SigningKeyId
  readonly name: string
  /** The 32 bytes of the public key. */
  readonly publicKey: Buffer
  readonly createdAt: Timestamp
  readonly expiresAt: Timestamp | null
} & CreatorRow

export function assertRoomForKey(count: number): void {
  if (count < contract.SIGNING_KEYS_MAX) return
  throw refused(
    'signing_key_limit_reached',
    `An organization can have at most ${contract.SIGNING_KEYS_MAX} signing keys. Delete one first.`,
  )
}

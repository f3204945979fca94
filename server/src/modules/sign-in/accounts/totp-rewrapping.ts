/** Rewraps the secrets of one-time codes when the operator's key changes. The codes do not change. */
import type { KeyRing } from '../../../platform/config/key-settings.ts'
import { seal, unseal } from '../../../platform/crypto/wrapping.ts'
import type { Database } from '../../../platform/db/database.ts'
import { totpLocation } from './accounts.ts'
import { selectTotpWithOtherKeys, updateTotpSecret } from './totp-rewrapping.store.ts'

const PAGE_SIZE = 500

/**
 * Rewraps the secrets of all accounts with the first key of the ring, so that the other keys can be removed. Needs a
 * database opened as the owner. Returns the number of accounts that changed.
 */
export async function rewrapTotpSecrets(ring: KeyRing, database: Database): Promise<number> {
  let count = 0
  let rows = await selectTotpWithOtherKeys(database, ring[0].id, PAGE_SIZE)
  while (rows.length > 0) {
    for (const { id, secret, keyId } of rows) {
      const bytes = unseal(ring, totpLocation(id), { keyEncryptionId: keyId, wrapped: secret })
      const { wrapped, keyEncryptionId } = seal(ring, totpLocation(id), bytes)
      await updateTotpSecret(database, { id, before: secret, secret: wrapped, keyId: keyEncryptionId })
      count++
    }
    rows = await selectTotpWithOtherKeys(database, ring[0].id, PAGE_SIZE)
  }
  return count
}

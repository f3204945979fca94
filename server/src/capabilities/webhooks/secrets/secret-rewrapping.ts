/** Secrets of webhooks are wrapped anew when the operator's key changes. Nothing that is signed with them does. */
import type { KeyRing } from '../../../platform/config/key-settings.ts'
import type { Database } from '../../../platform/db/database.ts'
import type { Sealed } from '../../../platform/secrets/wrapping.ts'
import * as store from './webhook-secrets.store.ts'
import { rewrapped, type SecretPlace } from './webhook-secrets.ts'

/** Read at a time. */
const REWRAPPED_AT_ONCE = 500

/**
 * Has the secrets of every webhook of every organization under the first key of the ring, so that the others can go. Needs a database opened
 * as the owner. Answers how many webhooks had one that was not.
 */
export async function rewrapWebhookSecrets(ring: KeyRing, database: Database): Promise<number> {
  const [{ id: current }] = ring
  let count = 0
  for (;;) {
    const rows = await store.selectSecretsUnderOthers(database, current, REWRAPPED_AT_ONCE)
    for (const row of rows) await rewrap(ring, database, row)
    count += rows.length
    if (rows.length < REWRAPPED_AT_ONCE) return count
  }
}

async function rewrap(ring: KeyRing, database: Database, row: store.PlacedSecrets) {
  const { organizationId, id } = row
  const place: SecretPlace = { organizationId, webhookId: id }
  const secret = rewrapped(ring, place, { keyEncryptionId: row.secretKeyId, wrapped: row.secret })
  const previous = previousOf(row)
  const again = previous && rewrapped(ring, place, previous)
  await store.updateSecrets(database.forOrganization(organizationId), {
    id,
    before: row.secret,
    secret: secret.wrapped,
    secretKeyId: secret.keyEncryptionId,
    previousSecret: again?.wrapped ?? null,
    previousSecretKeyId: again?.keyEncryptionId ?? null,
  })
}

function previousOf(row: store.PlacedSecrets): Sealed | undefined {
  const { previousSecret: wrapped, previousSecretKeyId: keyEncryptionId } = row
  return wrapped && keyEncryptionId ? { keyEncryptionId, wrapped } : undefined
}

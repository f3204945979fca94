/** Secrets of webhooks are wrapped anew when the operator's key changes. Nothing that is signed with them does. */
import type { KeyRing } from '../../../platform/config/key-settings.ts'
import type { Database } from '../../../platform/db/database.ts'
import { type Rewrapped, rewrapEach } from '../../../platform/secrets/rewrapping.ts'
import type { Sealed } from '../../../platform/secrets/wrapping.ts'
import * as store from './webhook-secrets.store.ts'
import { rewrapped, type SecretPlace } from './webhook-secrets.ts'

/**
 * Has the secrets of every webhook of every organization that is not held under the first key of
 * the ring, so that the others can go. Needs a database opened as the owner. Answers how many
 * webhooks had one that was not.
 */
export function rewrapWebhookSecrets(ring: KeyRing, database: Database): Promise<Rewrapped> {
  const [{ id: current }] = ring
  return rewrapEach(
    (after, limit) => store.selectSecretsUnderOthers(database, current, { after, limit }),
    (row: store.PlacedSecrets) => rewrap(ring, database, row),
  )
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

/** Rewraps webhook secrets when the operator's key changes. Signatures do not change. */
import type { KeyRing } from '../../../platform/config/key-settings.ts'
import { type Rewrapped, rewrapEach } from '../../../platform/crypto/rewrap.ts'
import type { Sealed } from '../../../platform/crypto/wrapping.ts'
import type { Database } from '../../../platform/db/database.ts'
import * as store from './webhook-secrets.store.ts'
import { rewrapped, type SecretOwner } from './webhook-secrets.ts'

/**
 * Rewraps the secrets of all webhooks of organizations that are not suspended with the first key of the ring, so that
 * the other keys can be removed. Needs a database opened as the owner. Returns the number of webhooks that changed.
 */
export function rewrapWebhookSecrets(ring: KeyRing, database: Database): Promise<Rewrapped> {
  const [{ id: current }] = ring
  return rewrapEach(
    (after, limit) => store.selectSecretsWithOtherKeys(database, current, { after, limit }),
    (row: store.WebhookSecrets) => rewrap(ring, database, row),
  )
}

async function rewrap(ring: KeyRing, database: Database, row: store.WebhookSecrets) {
  const { organizationId, id } = row
  const owner: SecretOwner = { organizationId, webhookId: id }
  const secret = rewrapped(ring, owner, { keyEncryptionId: row.secretKeyId, wrapped: row.secret })
  const previous = previousOf(row)
  const again = previous && rewrapped(ring, owner, previous)
  await store.updateSecrets(database.forOrganization(organizationId), {
    id,
    before: row.secret,
    secret: secret.wrapped,
    secretKeyId: secret.keyEncryptionId,
    previousSecret: again?.wrapped ?? null,
    previousSecretKeyId: again?.keyEncryptionId ?? null,
  })
}

function previousOf(row: store.WebhookSecrets): Sealed | undefined {
  const { previousSecret: wrapped, previousSecretKeyId: keyEncryptionId } = row
  return wrapped && keyEncryptionId ? { keyEncryptionId, wrapped } : undefined
}

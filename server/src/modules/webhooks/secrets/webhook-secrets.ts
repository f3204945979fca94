/** Signing secrets of webhooks, wrapped with the operator's keys and bound to their webhook. */
import { randomBytes } from 'node:crypto'
import type { OrganizationId, WebhookId } from '../../../kernel/ids.ts'
import type { Timestamp } from '../../../kernel/time.ts'
import type { KeyRing } from '../../../platform/config/key-settings.ts'
import { type Sealed, type SecretLocation, seal, unseal } from '../../../platform/crypto/wrapping.ts'

/** Length of a secret. Standard Webhooks requires 24 to 64 bytes. */
const SECRET_BYTES = 32

/** Prefix of secrets, by which people, secret scanners and verification libraries recognize them. */
const PREFIX = 'whsec_'

/** The webhook that a secret belongs to and is bound to. */
export type SecretOwner = {
  readonly organizationId: OrganizationId
  readonly webhookId: WebhookId
}

/** The secrets as stored in the row of a webhook. */
export type SecretsRow = {
  readonly secret: Buffer
  readonly secretKeyId: string
  readonly previousSecret: Buffer | null
  readonly previousSecretKeyId: string | null
  readonly previousSecretUntil: Timestamp | null
}

/** Creates a secret, whose text is shown only once. */
export function newSecret(ring: KeyRing, owner: SecretOwner): { text: string; sealed: Sealed } {
  const secret = randomBytes(SECRET_BYTES)
  return { text: asText(secret), sealed: seal(ring, locationOf(owner), secret) }
}

/** The secrets that sign a request now, newest first: two while the previous one is valid. */
export function signingSecrets(
  ring: KeyRing,
  { owner, row, now }: { owner: SecretOwner; row: SecretsRow; now: Date },
): readonly string[] {
  const current = { keyEncryptionId: row.secretKeyId, wrapped: row.secret }
  return [current, previousOf(row, now)]
    .filter((sealed) => sealed !== undefined)
    .map((sealed) => asText(unseal(ring, locationOf(owner), sealed)))
}

function previousOf(row: SecretsRow, now: Date): Sealed | undefined {
  const { previousSecret: wrapped, previousSecretKeyId: keyEncryptionId } = row
  if (!wrapped || !keyEncryptionId || !row.previousSecretUntil) return undefined
  if (Date.parse(row.previousSecretUntil) <= now.getTime()) return undefined
  return { keyEncryptionId, wrapped }
}

/** Wraps the secret with the first key of the ring. */
export const rewrapped = (ring: KeyRing, owner: SecretOwner, sealed: Sealed): Sealed =>
  seal(ring, locationOf(owner), unseal(ring, locationOf(owner), sealed))

const asText = (secret: Buffer) => `${PREFIX}${secret.toString('base64')}`

const locationOf = ({ organizationId, webhookId }: SecretOwner): SecretLocation => ({
  boundTo: `${organizationId}/webhooks/${webhookId}`,
  name: `The secret of webhook ${webhookId} of organization ${organizationId}`,
})

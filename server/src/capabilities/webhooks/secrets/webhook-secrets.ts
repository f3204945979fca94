/** What the requests to a webhook are signed with, kept under the operator's keys and bound to its webhook. */
import { randomBytes } from 'node:crypto'
import type { OrganizationId, WebhookId } from '../../../kernel/ids.ts'
import type { Timestamp } from '../../../kernel/time.ts'
import type { KeyRing } from '../../../platform/config/key-settings.ts'
import { type Place, type Sealed, seal, unseal } from '../../../platform/secrets/wrapping.ts'

/** As Standard Webhooks has them: 24 to 64 bytes. */
const SECRET_BYTES = 32

/** By which people and scanners know it, and libraries that verify. */
const PREFIX = 'whsec_'

export type SecretPlace = {
  readonly organizationId: OrganizationId
  readonly webhookId: WebhookId
}

/** The secrets of a webhook as its row has them. */
export type SecretsRow = {
  readonly secret: Buffer
  readonly secretKeyId: string
  readonly previousSecret: Buffer | null
  readonly previousSecretKeyId: string | null
  readonly previousSecretUntil: Timestamp | null
}

/** Its text is shown once, and never again. */
export function newSecret(ring: KeyRing, place: SecretPlace): { text: string; sealed: Sealed } {
  const secret = randomBytes(SECRET_BYTES)
  return { text: asText(secret), sealed: seal(ring, placeOf(place), secret) }
}

/** With which a request is signed now, the newest first: two while the one before still counts. */
export function signingSecrets(
  ring: KeyRing,
  place: SecretPlace,
  row: SecretsRow,
  now: Date,
): readonly string[] {
  const current = { keyEncryptionId: row.secretKeyId, wrapped: row.secret }
  return [current, previousOf(row, now)]
    .filter((sealed) => sealed !== undefined)
    .map((sealed) => asText(unseal(ring, placeOf(place), sealed)))
}

function previousOf(row: SecretsRow, now: Date): Sealed | undefined {
  const { previousSecret: wrapped, previousSecretKeyId: keyEncryptionId } = row
  if (!wrapped || !keyEncryptionId || !row.previousSecretUntil) return undefined
  if (Date.parse(row.previousSecretUntil) <= now.getTime()) return undefined
  return { keyEncryptionId, wrapped }
}

/** Under the first key of the ring. */
export const rewrapped = (ring: KeyRing, place: SecretPlace, sealed: Sealed): Sealed =>
  seal(ring, placeOf(place), unseal(ring, placeOf(place), sealed))

const asText = (secret: Buffer) => `${PREFIX}${secret.toString('base64')}`

const placeOf = ({ organizationId, webhookId }: SecretPlace): Place => ({
  boundTo: `${organizationId}/webhooks/${webhookId}`,
  name: `The secret of webhook ${webhookId} of organization ${organizationId}`,
})

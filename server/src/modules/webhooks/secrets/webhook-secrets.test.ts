import { createSecretKey } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { newWebhookId, type OrganizationId } from '../../../kernel/ids.ts'
import type { Timestamp } from '../../../kernel/time.ts'
import type { KeyEncryptionKey } from '../../../platform/config/key-settings.ts'
import { KeyUnavailable, type Sealed } from '../../../platform/crypto/wrapping.ts'
import { newSecret, rewrapped, type SecretOwner, type SecretsRow, signingSecrets } from './webhook-secrets.ts'

const key = (id: string, filling: number): KeyEncryptionKey => ({
  id,
  key: createSecretKey(Buffer.alloc(32, filling)),
})
const [older, newer] = [key('older', 1), key('newer', 2)]
const owner = { organizationId: 'acme12' as OrganizationId, webhookId: newWebhookId() }
const now = new Date('2026-11-15T12:00:00Z')

const rowOf = (secret: Sealed, previous?: Sealed, until?: string): SecretsRow => ({
  secret: secret.wrapped,
  secretKeyId: secret.keyEncryptionId,
  previousSecret: previous?.wrapped ?? null,
  previousSecretKeyId: previous?.keyEncryptionId ?? null,
  previousSecretUntil: (until as Timestamp | undefined) ?? null,
})

describe('a webhook secret', () => {
  it('is 32 random bytes in the format of Standard Webhooks libraries', () => {
    const [one, other] = [newSecret([older], owner), newSecret([older], owner)]
    expect(one.text).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(one.text).not.toBe(other.text)
  })

  it('is unwrapped to the text that was shown', () => {
    const { text, sealed } = newSecret([older], owner)
    expect(signingSecrets([newer, older], { owner, row: rowOf(sealed), now })).toEqual([text])
  })

  it('cannot be unwrapped in the row of another webhook or organization', () => {
    const { sealed } = newSecret([older], owner)
    const signAs = (other: SecretOwner) => () => signingSecrets([older], { owner: other, row: rowOf(sealed), now })
    expect(signAs({ ...owner, webhookId: newWebhookId() })).toThrow(KeyUnavailable)
    expect(signAs({ ...owner, organizationId: 'other1' as OrganizationId })).toThrow(
      `The secret of webhook ${owner.webhookId} of organization other1 cannot be decrypted`,
    )
  })
})

describe('after a rotation of a webhook secret', () => {
  const [before, after] = [newSecret([older], owner), newSecret([newer, older], owner)]
  const signing = (until: string) =>
    signingSecrets([newer, older], { owner, row: rowOf(after.sealed, before.sealed, until), now })

  it('requests are signed with both secrets, the new one first', () => {
    expect(signing('2026-11-15T12:00:00.001000Z')).toEqual([after.text, before.text])
  })

  it('requests are not signed with the old secret from its expiry on', () => {
    expect(signing('2026-11-15T12:00:00.000000Z')).toEqual([after.text])
  })

  it('requests can be signed without the encryption key of the expired secret', () => {
    const row = rowOf(after.sealed, before.sealed, '2026-11-15T11:00:00.000000Z')
    expect(signingSecrets([newer], { owner, row, now })).toEqual([after.text])
  })
})

describe('rewrapping a webhook secret', () => {
  it('keeps the secret and wraps it with the first key of the ring', () => {
    const { text, sealed } = newSecret([older], owner)
    const again = rewrapped([newer, older], owner, sealed)
    expect(again.keyEncryptionId).toBe('newer')
    expect(signingSecrets([newer], { owner, row: rowOf(again), now })).toEqual([text])
  })
})

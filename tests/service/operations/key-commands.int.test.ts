/** Tests the operator's key commands with suspended organizations, whose data cannot be changed. */
import { spawnSync } from 'node:child_process'
import { createSecretKey, randomUUID } from 'node:crypto'
import type { OrganizationId } from '@reelkeep/server/kernel/ids.ts'
import { totpLocation } from '@reelkeep/server/modules/sign-in/accounts/accounts.ts'
import { suspendOrganization } from '@reelkeep/server/modules/suspension/suspension.ts'
import type { KeyRing } from '@reelkeep/server/platform/config/key-settings.ts'
import { seal, unseal } from '@reelkeep/server/platform/crypto/wrapping.ts'
import {
  commandEnvironment,
  openOwner,
  resetDatabase,
  root,
  Superuser,
  stackEnv,
  TestApi,
  withDatabase,
} from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { expect, it } from 'vitest'

const env = withDatabase(stackEnv(), 'key_commands')
await resetDatabase(env)
const keyOf = (id: string, filling: number) => `${id}:${Buffer.alloc(32, filling).toString('base64')}`
const [older, newer] = [keyOf('older', 1), keyOf('newer', 2)]
const testApi = await opened(TestApi.open({ KEY_ENCRYPTION_KEYS: older }, env))
const superuser = await opened(Superuser.open(env))
const owner = await opened(Promise.resolve(openOwner(env)))

async function newWebhook(): Promise<OrganizationId> {
  const caller = await testApi.newOrganization()
  await caller.post('webhooks/', { url: 'https://receiver.example/' })
  return caller.organizationId as OrganizationId
}

const ringOf = (id: string, filling: number): KeyRing => [{ id, key: createSecretKey(Buffer.alloc(32, filling)) }]
const totpSecret = Buffer.from('12345678901234567890')

/** An account whose one-time codes have a secret that is encrypted with the older key. */
async function newAccountWithTotp(): Promise<string> {
  const id = randomUUID()
  const { wrapped, keyEncryptionId } = seal(ringOf('older', 1), totpLocation(id), totpSecret)
  await superuser.query(
    `insert into people.accounts (id, email, email_key, name, totp_secret, totp_key_id)
     values ($1, 'ada@example.org', 'ada@example.org', 'Ada', $2, $3)`,
    [id, wrapped, keyEncryptionId],
  )
  return id
}

it('rewrap-master-keys skips suspended organizations, names them, and does not report success', async () => {
  const heldId = await newWebhook()
  await newWebhook()
  await suspendOrganization(owner, heldId)
  const accountId = await newAccountWithTotp()
  const command = ['server/src/main/admin.ts', 'rewrap-master-keys']
  const { status, stdout, stderr } = spawnSync(process.execPath, command, {
    env: { ...commandEnvironment, ...env, KEY_ENCRYPTION_KEYS: `${newer},${older}` },
    ...{ cwd: root, encoding: 'utf8' },
  })
  expect(stdout.trim().split('\n')).toEqual([
    'key_encryption_key=newer',
    'rewrapped=0',
    'rewrapped_webhook_secrets=1',
    'rewrapped_totp_secrets=1',
    `suspended=${heldId}`,
  ])
  expect(stderr).toContain('The secrets of 1 suspended or moved organization are')
  expect(status).toBe(1)
  const [account] = await superuser.query<{ totp_secret: Buffer; totp_key_id: string }>(
    'select totp_secret, totp_key_id from people.accounts where id = $1',
    [accountId],
  )
  const sealed = { keyEncryptionId: account?.totp_key_id ?? '', wrapped: account?.totp_secret ?? Buffer.alloc(0) }
  expect(sealed.keyEncryptionId).toBe('newer')
  expect(unseal(ringOf('newer', 2), totpLocation(accountId), sealed)).toEqual(totpSecret)
})

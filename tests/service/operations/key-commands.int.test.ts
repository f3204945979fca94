/** Tests the operator's key commands with suspended organizations, whose data cannot be changed. */
import { spawnSync } from 'node:child_process'
import type { OrganizationId } from '@reelkeep/server/kernel/ids.ts'
import { suspendOrganization } from '@reelkeep/server/modules/suspension/suspension.ts'
import { commandEnvironment, openOwner, resetDatabase, root, stackEnv, TestApi, withDatabase } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { expect, it } from 'vitest'

const env = withDatabase(stackEnv(), 'key_commands')
await resetDatabase(env)
const keyOf = (id: string, filling: number) => `${id}:${Buffer.alloc(32, filling).toString('base64')}`
const [older, newer] = [keyOf('older', 1), keyOf('newer', 2)]
const testApi = await opened(TestApi.open({ KEY_ENCRYPTION_KEYS: older }, env))
const owner = await opened(Promise.resolve(openOwner(env)))

async function newWebhook(): Promise<OrganizationId> {
  const caller = await testApi.newOrganization()
  await caller.post('webhooks/', { url: 'https://receiver.example/' })
  return caller.organizationId as OrganizationId
}

it('rewrap-master-keys skips suspended organizations, names them, and does not report success', async () => {
  const heldId = await newWebhook()
  await newWebhook()
  await suspendOrganization(owner, heldId)
  const command = ['server/src/main/admin.ts', 'rewrap-master-keys']
  const { status, stdout, stderr } = spawnSync(process.execPath, command, {
    env: { ...commandEnvironment, ...env, KEY_ENCRYPTION_KEYS: `${newer},${older}` },
    ...{ cwd: root, encoding: 'utf8' },
  })
  expect(stdout.trim().split('\n')).toEqual([
    'key_encryption_key=newer',
    'rewrapped=0',
    'rewrapped_webhook_secrets=1',
    `suspended=${heldId}`,
  ])
  expect(stderr).toContain('The secrets of 1 suspended or moved organization are')
  expect(status).toBe(1)
})

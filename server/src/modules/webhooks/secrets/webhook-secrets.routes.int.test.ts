/** A webhook secret is shown once, stored for signing, and found nowhere else. */
import { createSecretKey } from 'node:crypto'
import type { events, webhooks } from '@reelkeep/contract'
import { type Caller, openOwner, resetDatabase, Superuser, stackEnv, TestApi, withDatabase } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { beforeEach, describe, expect, it } from 'vitest'
import type { OrganizationId, WebhookId } from '../../../kernel/ids.ts'
import type { Timestamp } from '../../../kernel/time.ts'
import type { KeyRing } from '../../../platform/config/key-settings.ts'
import { KeyUnavailable } from '../../../platform/crypto/wrapping.ts'
import { rewrapWebhookSecrets } from './secret-rewrapping.ts'
import { type SecretsRow, signingSecrets } from './webhook-secrets.ts'

// Rewrapping affects all webhooks of a database, so this test has its own.
const env = withDatabase(stackEnv(), 'webhook_secrets')
await resetDatabase(env)
const keyOf = (id: string, filling: number) => {
  const bytes = Buffer.alloc(32, filling)
  return { id, key: createSecretKey(bytes), setting: `${id}:${bytes.toString('base64')}` }
}
const [older, newer] = [keyOf('older', 1), keyOf('newer', 2)]
const testApi = await opened(TestApi.open({ KEY_ENCRYPTION_KEYS: older.setting }, env))
const superuser = await opened(Superuser.open(env))
const owner = await opened(Promise.resolve(openOwner(env)))

let caller: Caller
let webhook: webhooks.NewWebhook
beforeEach(async () => {
  caller = await testApi.newOrganization()
  const headers = { 'idempotency-key': 'k' }
  const body = { url: 'https://receiver.example/' }
  webhook = (await caller.post<webhooks.NewWebhook>('webhooks/', body, headers)).body
})

const rotate = (body = {}, headers = {}) =>
  caller.post<webhooks.NewWebhook>(`webhooks/${webhook.id}/rotate-secret/`, body, headers)

async function secretsRow(): Promise<SecretsRow> {
  const [row] = await superuser.query<SecretsRow & { until: string | null }>(
    `select secret, secret_key_id as "secretKeyId", previous_secret as "previousSecret",
       previous_secret_key_id as "previousSecretKeyId",
       to_char(previous_secret_until at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as until
     from webhooks where organization_id = $1`,
    [caller.organizationId],
  )
  if (!row) throw new Error('There is no webhook')
  return { ...row, previousSecretUntil: row.until as Timestamp | null }
}

/** The secrets that the dispatcher would sign with. */
async function signing(now = new Date(), ring: KeyRing = [older]): Promise<readonly string[]> {
  const organizationId = caller.organizationId as OrganizationId
  const webhookId = webhook.id as WebhookId
  const row = await secretsRow()
  return signingSecrets(ring, { owner: { organizationId, webhookId }, row, now })
}

const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000)

/** Every encoding in which the secret might be stored; byte columns are shown in hexadecimal. */
function formsOf(secret: string): string[] {
  const text = secret.slice('whsec_'.length)
  return [text, Buffer.from(text).toString('hex'), Buffer.from(text, 'base64').toString('hex')]
}

describe('the secret of a webhook', () => {
  it('is in no row as plain text, also with an Idempotency-Key', async () => {
    const again = (await rotate({}, { 'idempotency-key': 'r' })).body
    const rows = await superuser.query<{ row: string }>(
      `select w::text as row from webhooks w where organization_id = $1
       union all select k::text from idempotency_keys k where organization_id = $1
       union all select e::text from events e where organization_id = $1
       union all select o::text from event_outbox o where organization_id = $1`,
      [caller.organizationId],
    )
    const stored = rows.map(({ row }) => row).join('\n')
    expect(stored).toContain('https://receiver.example/')
    for (const form of [...formsOf(webhook.secret), ...formsOf(again.secret)]) {
      expect(stored).not.toContain(form)
    }
  })

  it('is only in the response to the request that created it, and in no event', async () => {
    const test = await caller.post<{ event_id: string }>(`webhooks/${webhook.id}/test/`)
    const answers = [
      test,
      await caller.get('webhooks/'),
      await caller.get(`webhooks/${webhook.id}/`),
      await caller.patch(`webhooks/${webhook.id}/`, { enabled: true }),
      await caller.get(`webhooks/${webhook.id}/deliveries/`),
      await caller.get(`webhooks/${webhook.id}/deliveries/${test.body.event_id}/`),
      await caller.get<{ results: events.Event[] }>('events/'),
    ]
    for (const { status, text } of answers) {
      expect(status).toBeLessThan(300)
      expect(text).not.toMatch(/secret"|whsec_/)
    }
  })
})

describe('a rotation of a webhook secret', () => {
  it('lets requests be signed with both secrets for a day, and then only with the new one', async () => {
    const { body, status } = await rotate()
    expect(status).toBe(201)
    expect(body.secret).not.toBe(webhook.secret)
    expect(await signing()).toEqual([body.secret, webhook.secret])
    expect(await signing(inHours(23.9))).toEqual([body.secret, webhook.secret])
    expect(await signing(inHours(24.1))).toEqual([body.secret])
    const ends = Date.parse(body.previous_secret_expires_at ?? '')
    expect(Math.abs(ends - inHours(24).getTime())).toBeLessThan(60_000)
  })

  it('without an overlap removes the old secret at once', async () => {
    const { body } = await rotate({ overlap_seconds: 0 })
    expect(await signing()).toEqual([body.secret])
    expect(body.previous_secret_expires_at).toBeNull()
    expect((await secretsRow()).previousSecret).toBeNull()
  })

  it('during the overlap of another rotation keeps the last two secrets', async () => {
    const second = (await rotate()).body.secret
    const third = (await rotate({ overlap_seconds: 60 })).body.secret
    expect(await signing()).toEqual([third, second])
  })

  it('happens once per Idempotency-Key', async () => {
    const keyed = { 'idempotency-key': 'once' }
    const first = await rotate({}, keyed)
    expect((await rotate({}, keyed)).text).toBe(first.text)
    expect(await signing()).toEqual([first.body.secret, webhook.secret])
  })

  it('keeps the last two secrets if another rotation runs concurrently', async () => {
    const both = await Promise.all([rotate(), rotate()])
    const texts = both.map(({ body }) => body.secret)
    expect([...(await signing())].sort()).toEqual(texts.sort())
  })
})

describe('rewrapping webhook secrets', () => {
  const both: KeyRing = [newer, older]

  it('wraps every secret with the first key of the ring and changes none', async () => {
    const { secret } = (await rotate()).body
    expect((await rewrapWebhookSecrets(both, owner)).rewrapped).toBeGreaterThanOrEqual(1)
    // The secrets can be unwrapped without the older key.
    expect(await signing(new Date(), [newer])).toEqual([secret, webhook.secret])
    expect(await rewrapWebhookSecrets(both, owner)).toEqual({ rewrapped: 0, suspended: new Set() })
  })

  it('removes an expired secret, even if its key is unknown', async () => {
    await rotate()
    await superuser.query(
      `update webhooks set previous_secret_until = now() - interval '1 second', previous_secret_key_id = 'lost'
       where organization_id = $1`,
      [caller.organizationId],
    )
    await rewrapWebhookSecrets(both, owner)
    expect(await secretsRow()).toMatchObject({ secretKeyId: 'newer', previousSecret: null })
  })

  it('fails at a secret that it cannot unwrap and leaves it unchanged', async () => {
    const before = await secretsRow()
    await expect(rewrapWebhookSecrets([keyOf('unknown', 5)], owner)).rejects.toThrow(KeyUnavailable)
    expect(await secretsRow()).toEqual(before)
  })
})

import type { Page, webhooks } from '@reelkeep/contract'
import { type Caller, openOwner, Superuser, TestApi } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { beforeEach, describe, expect, it } from 'vitest'
import type { OrganizationId } from '../../kernel/ids.ts'
import { setWebhookNetworks } from './webhooks.ts'

const testApi = await opened(TestApi.open())
const superuser = await opened(Superuser.open())
const owner = await opened(Promise.resolve(openOwner()))

let caller: Caller
beforeEach(async () => {
  caller = await testApi.newOrganization()
})

const url = 'https://receiver.example/reelkeep'

async function newWebhook(input: object = { url }, by = caller): Promise<webhooks.NewWebhook> {
  const { status, body } = await by.post<webhooks.NewWebhook>('webhooks/', input)
  expect(status).toBe(201)
  return body
}

const change = (id: string, body: object) => caller.patch<webhooks.Webhook>(`webhooks/${id}/`, body)

/** Marks the webhook as failing and paused, as the dispatcher does. */
const fail = (id: string) =>
  superuser.query(
    `update webhooks set failing_since = now() - interval '1 day', silences = 7, due_at = now() + interval '1 hour',
       rests_until = now() + interval '1 hour' where organization_id = $1 and id = $2`,
    [caller.organizationId, id],
  )

/** A delivery whose next attempt is in an hour. */
const delayedDelivery = (id: string, state = 'waiting') =>
  superuser.query(
    `insert into webhook_deliveries
       (organization_id, webhook_id, number, numbered_at, event_id, type, subject, due_at, state, ended_at)
     values ($1, $2, 1000 + floor(random() * 1000000), now(), gen_random_uuid(), 'token.created', 'x',
       case when $3 = 'waiting' then now() + interval '1 hour' end, $3, case when $3 <> 'waiting' then now() end)`,
    [caller.organizationId, id, state],
  )

const rowOf = async (id: string) => {
  const [row] = await superuser.query<Record<string, unknown>>(
    `select silences, failing_since as "failingSince", rests_until as "restsUntil", due_at <= now() as "isDue",
       (select count(*) from webhook_deliveries d where d.organization_id = $1 and webhook_id = $2 and state = 'waiting'
         and d.due_at <= now())::integer as "dueDeliveries"
     from webhooks where organization_id = $1 and id = $2`,
    [caller.organizationId, id],
  )
  return row
}

describe('201: a new webhook', () => {
  it('subscribes to all events by default', async () => {
    const { secret, ...webhook } = await newWebhook()
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(webhook).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      url,
      description: '',
      types: [],
      enabled: true,
      disabled_reason: null,
      disabled_at: null,
      failing_since: null,
      previous_secret_expires_at: null,
      created_at: expect.stringMatching(/Z$/),
      created_by: { kind: 'token', id: expect.any(String), name: expect.any(String) },
      expires_at: null,
      updated_at: expect.stringMatching(/Z$/),
    })
    expect((await caller.get(`webhooks/${webhook.id}/`)).body).toEqual(webhook)
  })

  it('can have a description and subscribe to event types and families', async () => {
    const input = { url, description: 'Search index', types: ['asset.*', 'token.created'] }
    expect(await newWebhook(input)).toMatchObject(input)
  })

  it('is created once per Idempotency-Key, and its secret is returned again', async () => {
    const keyed = { 'idempotency-key': 'once' }
    const first = await caller.post<webhooks.NewWebhook>('webhooks/', { url }, keyed)
    const second = await caller.post<webhooks.NewWebhook>('webhooks/', { url }, keyed)
    expect(second.text).toBe(first.text)
    expect((await caller.get<Page<object>>('webhooks/')).body.count).toBe(1)
  })
})

describe('GET, POST and PATCH webhooks/: 200 and 201', () => {
  it('lists webhooks newest first, page by page', async () => {
    const created = []
    for (let count = 0; count < 3; count++) created.unshift((await newWebhook()).id)
    const first = await caller.get<Page<webhooks.Webhook>>('webhooks/?limit=2')
    expect(first.body.count).toBe(3)
    const second = await caller.get<Page<webhooks.Webhook>>(first.body.next ?? '')
    const ids = [...first.body.results, ...second.body.results].map(({ id }) => id)
    expect(ids).toEqual(created)
  })

  it('changes only the given fields', async () => {
    const { id, secret: _, ...before } = await newWebhook({ url, description: 'One', types: [] })
    const { body } = await change(id, { types: ['folder.*'] })
    expect(body).toEqual({
      ...before,
      id,
      types: ['folder.*'],
      updated_at: expect.not.stringMatching(before.updated_at),
    })
    expect((await change(id, { description: '' })).body).toMatchObject({
      description: '',
      types: ['folder.*'],
    })
    expect((await change(id, { types: [] })).body.types).toEqual([])
  })

  it('disables a webhook and shows since when', async () => {
    const { id } = await newWebhook()
    const { body } = await change(id, { enabled: false })
    expect(body).toMatchObject({ enabled: false, disabled_reason: 'caller' })
    const again = await change(id, { enabled: false })
    expect(again.body.disabled_at).toBe(body.disabled_at)
    expect((await change(id, { description: 'x' })).body.enabled).toBe(false)
  })

  it('extends an expired webhook if it is enabled with a token that does not expire', async () => {
    const { id } = await newWebhook()
    await superuser.query('update webhooks set expires_at = now() where id = $1', [id])
    const expired = await caller.get<webhooks.Webhook>(`webhooks/${id}/`)
    const { expires_at } = expired.body
    expect(expired.body).toMatchObject({ enabled: false, disabled_reason: 'expired', disabled_at: expires_at })
    expect((await caller.post(`webhooks/${id}/test/`)).body).toMatchObject({ code: 'webhook_disabled' })
    const { body } = await change(id, { enabled: true })
    expect(body).toMatchObject({ enabled: true, disabled_reason: null, expires_at: null })
  })

  it('keeps the reason why the service disabled a webhook until it is enabled', async () => {
    const { id } = await newWebhook()
    await superuser.query(
      `update webhooks set disabled_at = now(), disabled_because = 'gone' where organization_id = $1`,
      [caller.organizationId],
    )
    expect((await change(id, { enabled: false })).body.disabled_reason).toBe('gone')
    const { body } = await change(id, { enabled: true })
    expect(body).toMatchObject({ enabled: true, disabled_reason: null, disabled_at: null })
  })

  it.each([
    ['enabled', { enabled: true }],
    ['given a URL', { url: 'https://other.example/' }],
  ])('resets failures and makes deliveries due when the webhook is %s', async (_, body) => {
    const { id } = await newWebhook()
    await fail(id)
    await delayedDelivery(id)
    await delayedDelivery(id, 'failed')
    expect((await change(id, body)).body.failing_since).toBeNull()
    expect(await rowOf(id)).toEqual({
      silences: 0,
      failingSince: null,
      restsUntil: null,
      isDue: true,
      dueDeliveries: 1,
    })
  })

  it.each([
    ['disabled', { enabled: false }],
    ['given a description', { description: 'x' }],
  ])('keeps the failures and the delays of deliveries when the webhook is %s', async (_, body) => {
    const { id } = await newWebhook()
    await fail(id)
    await delayedDelivery(id)
    expect((await change(id, body)).body.failing_since).not.toBeNull()
    expect(await rowOf(id)).toMatchObject({ silences: 7, isDue: false, dueDeliveries: 0 })
  })

  it('accepts URLs in networks that the operator allows, also http', async () => {
    const by = await testApi.newOrganization()
    const db = owner.forOrganization(by.organizationId as OrganizationId)
    expect(await setWebhookNetworks(db, ['10.1.0.0/16:8080'])).toEqual(['10.1.0.0/16:8080'])
    expect((await newWebhook({ url: 'http://10.1.2.3:8080/' }, by)).url).toBe('http://10.1.2.3:8080/')
    for (const url of ['https://10.2.0.1:8080/', 'http://10.1.2.3:8081/', 'https://10.1.2.3/']) {
      expect((await by.post('webhooks/', { url })).status).toBe(400)
    }
    expect((await caller.post('webhooks/', { url: 'http://10.1.2.3:8080/' })).status).toBe(400)
  })

  it.each(['https://receiver.example:22/', 'https://8.8.8.8:25/', 'https://receiver.example:8443/'])(
    'refuses other ports than 443: %s',
    async (url) => {
      expect((await caller.post('webhooks/', { url })).body.detail).toContain('port 443')
    },
  )

  it('accepts other ports of the public internet that the operator allows', async () => {
    await using own = await TestApi.open({ WEBHOOK_PORTS: '443,8443' })
    const by = await own.newOrganization()
    expect((await newWebhook({ url: 'https://receiver.example:8443/' }, by)).url).toBe('https://receiver.example:8443/')
  })
})

describe('DELETE webhooks/<id>/: 204', () => {
  it('deletes a webhook with its deliveries, and nothing of other webhooks', async () => {
    const [gone, stays] = [await newWebhook(), await newWebhook()]
    const test = await caller.post<{ event_id: string }>(`webhooks/${gone.id}/test/`)
    expect((await caller.delete(`webhooks/${gone.id}/`)).status).toBe(204)
    for (const path of ['', 'deliveries/', `deliveries/${test.body.event_id}/`]) {
      const { status, body } = await caller.get(`webhooks/${gone.id}/${path}`)
      expect([status, body.code]).toEqual([404, 'webhook_not_found'])
    }
    expect((await caller.delete(`webhooks/${gone.id}/`)).status).toBe(404)
    expect((await caller.get(`webhooks/${stays.id}/`)).status).toBe(200)
  })
})

describe('POST and PATCH webhooks/: 400', () => {
  it.each([
    [{}, 'url'],
    [{ url, types: ['asset.exploded'] }, 'types[0]'],
    [{ url, types: ['nothing.*'] }, 'types[0]'],
    [{ url, types: ['*'] }, 'types[0]'],
    [{ url, types: ['asset.*', 'asset.*'] }, 'types'],
    [{ url, description: 'x'.repeat(256) }, 'description'],
    [{ url, description: 'line\nbreak' }, 'description'],
    [{ url: `https://receiver.example/${'x'.repeat(2048)}` }, 'url'],
    [{ url, secret: 'whsec_mine' }, 'secret'],
  ])('rejects %j, naming %s', async (input, field) => {
    const { status, body } = await caller.post('webhooks/', input)
    expect(status).toBe(400)
    expect(body.errors.map((error) => error.field)).toEqual([field])
  })

  it('rejects changing the URL to an internal address, and leaves the webhook unchanged', async () => {
    const { id } = await newWebhook()
    const inside = { url: 'https://169.254.169.254/latest/', description: 'mine' }
    expect((await caller.patch(`webhooks/${id}/`, inside)).body.code).toBe('invalid_webhook_url')
    expect((await caller.get(`webhooks/${id}/`)).body).toMatchObject({ url, description: '' })
  })

  it('rejects an empty change', async () => {
    const { id } = await newWebhook()
    expect((await caller.patch(`webhooks/${id}/`, {})).status).toBe(400)
  })
})

describe('404: a webhook of another organization', () => {
  it('is handled as if it did not exist, and stays unchanged', async () => {
    const theirs = await newWebhook()
    const test = await caller.post<{ event_id: string }>(`webhooks/${theirs.id}/test/`)
    const otherCaller = await testApi.newOrganization()
    const path = `webhooks/${theirs.id}/`
    const answers = await Promise.all([
      otherCaller.get(path),
      otherCaller.patch(path, { enabled: false }),
      otherCaller.delete(path),
      otherCaller.post(`${path}rotate-secret/`, {}),
      otherCaller.post(`${path}test/`),
      otherCaller.get(`${path}deliveries/`),
      otherCaller.get(`${path}deliveries/${test.body.event_id}/`),
      otherCaller.post(`${path}deliveries/${test.body.event_id}/replay/`),
      otherCaller.post(`${path}replay/`, { after: 0 }),
    ])
    for (const { status, body } of answers) {
      expect([status, body.code]).toEqual([404, 'webhook_not_found'])
    }
    expect((await otherCaller.get<Page<object>>('webhooks/')).body.count).toBe(0)
    const { secret: _, ...unchanged } = theirs
    expect((await caller.get(path)).body).toEqual(unchanged)
  })
})

describe('POST webhooks/: 409', () => {
  it('limits an organization to a hundred webhooks, also for concurrent requests', async () => {
    for (let count = 0; count < 95; count++) await newWebhook()
    const answers = await Promise.all(Array.from({ length: 12 }, () => caller.post('webhooks/', { url })))
    const statuses = answers.map(({ status }) => status).sort()
    expect(statuses).toEqual([...Array(5).fill(201), ...Array(7).fill(409)])
  })
})

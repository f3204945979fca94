import type { webhookDeliveries as contract, events, webhooks } from '@reelkeep/contract'
import { type Caller, Superuser, TestApi } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { beforeEach, describe, expect, it } from 'vitest'
import { newAssetId, type OrganizationId } from '../../../kernel/ids.ts'
import type { OrganizationDb } from '../../../platform/db/database.ts'
import { aboutAsset, recordEvents } from '../../events/events.ts'

const testApi = await opened(TestApi.open())
const superuser = await opened(Superuser.open())

let caller: Caller
let db: OrganizationDb
beforeEach(async () => {
  caller = await testApi.newOrganization()
  db = testApi.context.database.forOrganization(caller.organizationId as OrganizationId)
})

const url = 'https://receiver.example/'

const newWebhook = async (types: string[] = ['chapter.*']) =>
  (await caller.post<webhooks.NewWebhook>('webhooks/', { url, types })).body.id

/** Records this many chapter updates of a video. */
async function recordUpdates(count: number): Promise<events.Event[]> {
  const asset = newAssetId()
  const event = () => aboutAsset(asset, { type: 'chapter.updated', data: { asset_id: asset, chapters: [] } })
  await recordEvents(db, ...Array.from({ length: count }, event))
  const { body } = await caller.get<{ results: events.Event[] }>(`events/?asset_id=${asset}`)
  return body.results
}

type Deliveries = { next: string | null; previous: string | null; results: contract.Delivery[] }

const deliveriesOf = async (webhook: string, query = '') =>
  (await caller.get<Deliveries>(`webhooks/${webhook}/deliveries/${query}`)).body

const numbersIn = ({ results }: Deliveries) => results.map(({ number }) => number)

const details = async (webhook: string, event: string) =>
  (await caller.get<contract.DeliveryDetails>(`webhooks/${webhook}/deliveries/${event}/`)).body

const statesOf = async (webhook: string) =>
  Object.fromEntries((await deliveriesOf(webhook, '?limit=100')).results.map(({ number, state }) => [number, state]))

/** Records an attempt and its result, as the dispatcher does. */
async function attempt(
  webhook: string,
  { number }: Pick<events.Event, 'number'>,
  outcome: { state: string; status?: number; answer?: string; error?: string },
) {
  const { state, status = null, answer = null, error = null } = outcome
  await superuser.query(
    `with tried as (
       update webhook_deliveries set state = $4, attempts = attempts + 1, refusals = refusals + 1,
         due_at = case when $4 = 'waiting' then now() + interval '1 hour' end,
         ended_at = case when $4 <> 'waiting' then now() end, created_at = created_at - interval '1 day'
       where organization_id = $1 and webhook_id = $2 and number = $3 returning *)
     insert into webhook_attempts
       (organization_id, webhook_id, number, numbered_at, attempt, at, url, milliseconds, status, answer, error)
     select organization_id, webhook_id, number, numbered_at, attempts, '2026-11-15 09:30:00.75Z'::timestamptz
       + attempts * interval '1 minute', 'https://earlier.example/', 120, $5, $6, $7 from tried`,
    [caller.organizationId, webhook, number, state, status, answer, error],
  )
}

const wakesOf = async (webhook: string) => {
  const [row] = await superuser.query<{ wakes: string; isDue: boolean | null }>(
    `select wakes, due_at <= now() as "isDue" from webhooks where organization_id = $1 and id = $2`,
    [caller.organizationId, webhook],
  )
  return { wakes: Number(row?.wakes), isDue: row?.isDue }
}

describe('the delivery log', () => {
  it('lists the newest event first and pages forward and back', async () => {
    const webhook = await newWebhook()
    const numbers = (await recordUpdates(5)).map(({ number }) => number).reverse()
    const first = await deliveriesOf(webhook, '?limit=2')
    const second = (await caller.get<Deliveries>(first.next ?? '')).body
    const third = (await caller.get<Deliveries>(second.next ?? '')).body
    expect([first, second, third].flatMap(numbersIn)).toEqual(numbers)
    expect(third.next).toBeNull()
    const back = (await caller.get<Deliveries>(third.previous ?? '')).body
    expect(numbersIn(back)).toEqual(numbersIn(second))
  })

  it('filters by state, page by page', async () => {
    const webhook = await newWebhook()
    const [one, two, three, four] = await recordUpdates(4)
    if (!one || !two || !three || !four) throw new Error('Not all events were recorded')
    await attempt(webhook, one, { state: 'failed', status: 500 })
    await attempt(webhook, three, { state: 'failed', status: 500 })
    await attempt(webhook, four, { state: 'delivered', status: 204 })
    const failed = await deliveriesOf(webhook, '?state=failed&limit=1')
    expect(numbersIn(failed)).toEqual([three.number])
    expect(numbersIn((await caller.get<Deliveries>(failed.next ?? '')).body)).toEqual([one.number])
    expect(numbersIn(await deliveriesOf(webhook, '?state=waiting'))).toEqual([two.number])
    expect(numbersIn(await deliveriesOf(webhook, '?state=delivered'))).toEqual([four.number])
  })

  it('shows when a waiting delivery is attempted next', async () => {
    const webhook = await newWebhook()
    const [event] = await recordUpdates(1)
    expect((await deliveriesOf(webhook)).results).toEqual([
      {
        event_id: event?.id,
        number: event?.number,
        type: 'chapter.updated',
        state: 'waiting',
        attempt_count: 0,
        next_attempt_at: expect.stringMatching(/Z$/),
        created_at: expect.stringMatching(/Z$/),
        ended_at: null,
      },
    ])
  })

  it('shows the request, also before the first attempt', async () => {
    const webhook = await newWebhook()
    const [event] = await recordUpdates(1)
    const { request, attempts } = await details(webhook, event?.id ?? '')
    expect(request).toEqual({
      url,
      headers: { 'content-type': 'application/json', 'webhook-id': event?.id },
      body: event,
    })
    expect(attempts).toEqual([])
  })

  it('shows every attempt, newest first', async () => {
    const webhook = await newWebhook()
    const [event] = await recordUpdates(1)
    if (!event) throw new Error('No event was recorded')
    await attempt(webhook, event, { state: 'waiting', error: 'timed out' })
    await attempt(webhook, event, { state: 'delivered', status: 200, answer: 'thanks' })
    const { request, attempts, ...delivery } = await details(webhook, event.id)
    expect(delivery).toMatchObject({
      state: 'delivered',
      attempt_count: 2,
      next_attempt_at: null,
      ended_at: expect.stringMatching(/Z$/),
    })
    expect(request.url).toBe('https://earlier.example/')
    const at = '2026-11-15T09:32:00.750000Z'
    expect(request.headers['webhook-timestamp']).toBe(String(Date.parse('2026-11-15T09:32:00Z') / 1000))
    expect(JSON.stringify(request)).not.toContain('signature')
    expect(attempts).toEqual([
      { at, milliseconds: 120, status: 200, answer: 'thanks', error: null },
      {
        at: '2026-11-15T09:31:00.750000Z',
        milliseconds: 120,
        status: null,
        answer: null,
        error: 'timed out',
      },
    ])
  })
})

describe('replaying one event', () => {
  it.each(['delivered', 'failed', 'waiting'])(
    'delivers a %s event again at once, with a new retry period',
    async (state) => {
      const webhook = await newWebhook()
      const [event] = await recordUpdates(1)
      if (!event) throw new Error('No event was recorded')
      await attempt(webhook, event, { state, status: 500 })
      const before = await wakesOf(webhook)
      const path = `webhooks/${webhook}/deliveries/${event.id}/replay/`
      const { status, body } = await caller.post<contract.Delivery>(path)
      expect(status).toBe(200)
      expect(body).toMatchObject({
        event_id: event.id,
        state: 'waiting',
        attempt_count: 1,
        ended_at: null,
      })
      // The delivery is retried for as long as a new one.
      expect(Date.parse(body.created_at)).toBeGreaterThan(Date.now() - 60_000)
      expect(Date.parse(body.next_attempt_at ?? '')).toBeLessThanOrEqual(Date.now() + 1000)
      expect(await wakesOf(webhook)).toEqual({ wakes: before.wakes + 1, isDue: true })
      expect((await details(webhook, event.id)).attempts).toHaveLength(1)
    },
  )

  it('affects no other event and no other webhook', async () => {
    const [webhook, other] = [await newWebhook(), await newWebhook()]
    const [one, two] = await recordUpdates(2)
    if (!one || !two) throw new Error('No event was recorded')
    for (const [to, event] of [
      [webhook, one],
      [webhook, two],
      [other, one],
    ] as const)
      await attempt(to, event, { state: 'delivered', status: 200 })
    await caller.post(`webhooks/${webhook}/deliveries/${one.id}/replay/`)
    expect(await statesOf(webhook)).toEqual({ [one.number]: 'waiting', [two.number]: 'delivered' })
    expect((await statesOf(other))[one.number]).toBe('delivered')
  })

  it('404: does not find an event that was delivered only to another webhook', async () => {
    const [webhook] = [await newWebhook(['folder.*']), await newWebhook()]
    const [event] = await recordUpdates(1)
    const path = `webhooks/${webhook}/deliveries/${event?.id}/`
    expect((await caller.get(path)).body.code).toBe('delivery_not_found')
    expect((await caller.post(`${path}replay/`)).body.code).toBe('delivery_not_found')
    expect((await caller.get(`webhooks/${webhook}/deliveries/what/`)).body.code).toBe('delivery_not_found')
  })
})

describe('replaying a range of events', () => {
  const replay = async (webhook: string, body: object) =>
    (await caller.post<{ replayed: number }>(`webhooks/${webhook}/replay/`, body)).body.replayed

  it('delivers subscribed events from before the webhook existed', async () => {
    await recordUpdates(2)
    await caller.post('assets/folders/', { title: 'Something else' })
    const numbers = (await recordUpdates(1)).map(({ number }) => number)
    const webhook = await newWebhook()
    expect(await statesOf(webhook)).toEqual({})
    expect(await replay(webhook, { after: 0 })).toBe(3)
    const states = await statesOf(webhook)
    expect(Object.values(states)).toEqual(['waiting', 'waiting', 'waiting'])
    expect(states).toHaveProperty(String(numbers[0]))
    expect((await wakesOf(webhook)).isDue).toBe(true)
  })

  it('delivers events that occurred while the webhook was disabled', async () => {
    const webhook = await newWebhook()
    await caller.patch(`webhooks/${webhook}/`, { enabled: false })
    const [missed] = await recordUpdates(1)
    await caller.patch(`webhooks/${webhook}/`, { enabled: true })
    expect(await statesOf(webhook)).toEqual({})
    const since = missed?.created_at
    expect(await replay(webhook, { since })).toBe(1)
    expect(await statesOf(webhook)).toEqual({ [missed?.number ?? 0]: 'waiting' })
  })

  it('selects the events between two numbers, excluding both', async () => {
    const webhook = await newWebhook()
    const updates = await recordUpdates(4)
    for (const event of updates) await attempt(webhook, event, { state: 'delivered', status: 200 })
    const [first, second, third, fourth] = updates.map(({ number }) => number)
    expect(await replay(webhook, { after: first, before: fourth })).toBe(2)
    expect(await statesOf(webhook)).toEqual({
      [first ?? 0]: 'delivered',
      [second ?? 0]: 'waiting',
      [third ?? 0]: 'waiting',
      [fourth ?? 0]: 'delivered',
    })
  })

  it('selects the events between two times, including the first and excluding the second', async () => {
    const webhook = await newWebhook()
    const [one, two, three] = [await recordUpdates(1), await recordUpdates(1), await recordUpdates(1)].flat()
    for (const event of [one, two, three]) if (event) await attempt(webhook, event, { state: 'failed', status: 500 })
    expect(await replay(webhook, { since: two?.created_at, until: three?.created_at })).toBe(1)
    expect(await statesOf(webhook)).toEqual({
      [one?.number ?? 0]: 'failed',
      [two?.number ?? 0]: 'waiting',
      [three?.number ?? 0]: 'failed',
    })
  })

  it('skips test events and includes events that were just committed', async () => {
    const webhook = await newWebhook([])
    await caller.post(`webhooks/${webhook}/test/`)
    const asset = newAssetId()
    const data = { asset_id: asset, chapters: [] }
    const { after } = (await caller.get<{ after: number }>('events/')).body
    await recordEvents(db, aboutAsset(asset, { type: 'chapter.created', data }))
    expect(await replay(webhook, { after })).toBe(1)
    expect(await replay(webhook, { after: after - 1, before: after + 1 })).toBe(0)
  })

  it('delivers each event once when replays run concurrently', async () => {
    const webhook = await newWebhook()
    const updates = await recordUpdates(50)
    for (const event of updates) await attempt(webhook, event, { state: 'failed', status: 500 })
    const counts = await Promise.all([1, 2, 3].map(() => replay(webhook, { after: 0 })))
    expect(counts).toEqual([50, 50, 50])
    expect(Object.values(await statesOf(webhook))).toEqual(Array(50).fill('waiting'))
  })

  it('400: replays nothing if the range is too large', async () => {
    const webhook = await newWebhook()
    const [event] = await recordUpdates(1)
    if (!event) throw new Error('No event was recorded')
    await attempt(webhook, event, { state: 'delivered', status: 200 })
    await superuser.query(
      `insert into events (organization_id, number, id, type, subject, data, created_at)
       select $1, $2::bigint + number, gen_random_uuid(), 'chapter.updated', 'many', '{}', now()
       from generate_series(1, 10000) as number`,
      [caller.organizationId, event.number],
    )
    const answer = await caller.post(`webhooks/${webhook}/replay/`, { after: event.number - 1 })
    expect(answer.body.code).toBe('replay_too_large')
    expect(await statesOf(webhook)).toEqual({ [event.number]: 'delivered' })
    expect(await replay(webhook, { after: event.number })).toBe(10_000)
  })
})

describe('201: a test event', () => {
  it('is delivered only to the tested webhook, whatever others subscribe to', async () => {
    const [tested, other] = [await newWebhook(), await newWebhook([])]
    const { status, body } = await caller.post<contract.Delivery>(`webhooks/${tested}/test/`)
    expect(status).toBe(201)
    expect(body).toMatchObject({ type: 'webhook.test', state: 'waiting', attempt_count: 0 })
    const { request } = await details(tested, body.event_id)
    expect(request.body).toMatchObject({ type: 'webhook.test', data: { id: tested } })
    expect(numbersIn(await deliveriesOf(other)).includes(body.number)).toBe(false)
    expect((await wakesOf(tested)).isDue).toBe(true)
  })

  it('does not wait behind other test events', async () => {
    const webhook = await newWebhook()
    for (let count = 0; count < 3; count++) await caller.post(`webhooks/${webhook}/test/`)
    const [row] = await superuser.query<{ subjects: string }>(
      `select count(distinct subject) as subjects from webhook_deliveries where organization_id = $1`,
      [caller.organizationId],
    )
    expect(Number(row?.subjects)).toBe(3)
  })

  it('is created once per Idempotency-Key', async () => {
    const webhook = await newWebhook()
    const keyed = { 'idempotency-key': 'once' }
    const first = await caller.post(`webhooks/${webhook}/test/`, undefined, keyed)
    expect((await caller.post(`webhooks/${webhook}/test/`, undefined, keyed)).text).toBe(first.text)
    expect((await deliveriesOf(webhook)).results).toHaveLength(1)
  })

  it('is created for each of many concurrent requests, while events are written', async () => {
    const webhook = await newWebhook([])
    const asset = newAssetId()
    const data = { asset_id: asset, chapters: [] }
    const write = () => recordEvents(db, aboutAsset(asset, { type: 'chapter.created', data }))
    const tests = Array.from({ length: 8 }, () => caller.post<contract.Delivery>(`webhooks/${webhook}/test/`))
    const [answers] = await Promise.all([Promise.all(tests), Promise.all(Array.from({ length: 8 }, write))])
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(201))
    expect(new Set(answers.map(({ body }) => body.event_id)).size).toBe(8)
  })
})

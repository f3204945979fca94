/**
 * Tests that the webhook dispatcher delivers events in order and loses none, even if the service itself fails, on a
 * real database and real connections.
 */
import { generateKeySync } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { newAssetId, type OrganizationId } from '@reelkeep/server/kernel/ids.ts'
import { Superuser } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  eventually,
  makeDeliveriesDue,
  openTestDispatcher,
  type TestDispatcherOptions,
} from './in-process-dispatcher.ts'
import { openReceiver, type Receiver, verify } from './receiver.ts'
import { openWebhookFixture, type TestWebhook } from './webhook-fixture.ts'

const fixture = await opened(openWebhookFixture('dispatcher'))
const openDispatcher = (options?: TestDispatcherOptions) => openTestDispatcher(fixture, options)
const makeDue = () => makeDeliveriesDue(fixture)

let organizationId: OrganizationId
let receiver: Receiver
let webhook: TestWebhook
beforeEach(async () => {
  organizationId = await fixture.newOrganizationId()
  receiver = await openReceiver()
  webhook = await fixture.newWebhook(organizationId, receiver.url)
})
afterEach(async () => {
  await receiver[Symbol.asyncDispose]()
})

const states = async (of = webhook) => (await fixture.deliveries(of)).map(({ state }) => state)

describe('a webhook event', () => {
  it('is delivered once, signed, with the same content as in the log; then the webhook is unclaimed', async () => {
    await using dispatcher = openDispatcher()
    const asset = newAssetId()
    await fixture.recordAssetEvents(organizationId, asset)
    await eventually(() => states()).toEqual(['delivered'])
    const [arrival] = receiver.arrivals
    if (!arrival) throw new Error('nothing arrived')
    verify(webhook.secret, arrival)
    expect(arrival.headers).toMatchObject({
      'webhook-id': arrival.event.id,
      'content-type': 'application/json',
      'user-agent': 'Reelkeep/test',
    })
    expect(arrival.path).toBe('/webhook?a=b')
    expect(arrival.event).toMatchObject({ number: 1, type: 'chapter.created', asset_id: asset })
    const attempts = await fixture.attempts(webhook)
    expect(attempts).toMatchObject([{ number: 1, attempt: 1, status: 204, answer: '', error: null }])
    await eventually(() => fixture.state(webhook)).toMatchObject({ worker_id: null, dueIn: null })
    expect(await dispatcher.registry.metrics()).toMatch(/reelkeep_webhook_attempts_total\{outcome="delivered"\} 1/)
    expect(receiver.numbers()).toEqual([1])
  })

  it('is signed with both secrets during the overlap, then only with the new secret', async () => {
    await using _ = openDispatcher()
    const rotated = await fixture.rotateSecret(webhook, 3600)
    await fixture.recordTokenEvent(organizationId)
    await eventually(() => receiver.arrivals.length).toBe(1)
    for (const secret of [webhook.secret, rotated]) {
      for (const arrival of receiver.arrivals) verify(secret, arrival)
    }
    const last = await fixture.rotateSecret(webhook, -1)
    await fixture.recordTokenEvent(organizationId)
    await eventually(() => receiver.arrivals.length).toBe(2)
    const [, arrival] = receiver.arrivals
    if (!arrival) throw new Error('nothing arrived')
    verify(last, arrival)
    expect(() => verify(rotated, arrival)).toThrow('No matching signature found')
  })

  it('is found by polling if its notification was lost', async () => {
    await fixture.recordTokenEvent(organizationId)
    await using _ = openDispatcher()
    await eventually(() => states()).toEqual(['delivered'])
    // Simulates the state after a lost notification.
    await fixture.superuser.query(
      `with again as (update webhook_deliveries set state = 'waiting', ended_at = null, due_at = now())
       update webhooks set due_at = now(), wakes = wakes + 1 where organization_id = $1`,
      [organizationId],
    )
    await eventually(() => receiver.numbers()).toEqual([1, 1])
  })

  it('is not lost if it is recorded while a dispatcher releases its claim on the webhook (500 attempts)', async () => {
    await using _ = openDispatcher()
    for (let number = 1; number <= 500; number++) {
      await fixture.recordTokenEvent(organizationId)
      if (number % 3 === 0) await eventually(() => receiver.arrivals.length).toBe(number)
    }
    await eventually(() => receiver.arrivals.length).toBe(500)
    expect(new Set(receiver.numbers()).size).toBe(500)
  })
})

describe('a webhook that gets a new event while a dispatcher releases its claim', () => {
  it('stays claimed, because the release waits for the transaction of the event', async () => {
    await using waker = await Superuser.open(fixture.env)
    await fixture.recordTokenEvent(organizationId)
    await using late = await openReceiver((_, response) => void openResponses.push(response))
    const openResponses: ServerResponse[] = []
    const second = await fixture.newWebhook(organizationId, late.url)
    await using _ = openDispatcher()
    await fixture.recordTokenEvent(organizationId)
    await eventually(() => openResponses.length).toBe(1)
    // Adds a delivery to the webhook like the fan-out of an event.
    await waker.query('begin')
    await waker.query(
      `insert into webhook_deliveries (organization_id, webhook_id, number, numbered_at, event_id, type, subject, due_at)
       select organization_id, $2, number, numbered_at, id, type, subject, now() from events where organization_id = $1 and number = 1`,
      [organizationId, second.id],
    )
    await waker.query(`update webhooks set due_at = now(), wakes = wakes + 1 where id = $1`, [second.id])
    openResponses[0]?.writeHead(200).end()
    const waiting = async () =>
      fixture.superuser.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      )
    await eventually(waiting).toHaveLength(1)
    await waker.query('commit')
    await eventually(() => late.numbers()).toEqual([2, 1])
    openResponses[1]?.writeHead(200).end()
    await eventually(() => states(second)).toEqual(['delivered', 'delivered'])
  })
})

describe('the failing state of a webhook, known while a dispatcher reads the webhook', () => {
  it('is reset by the next success', async () => {
    const openResponses = new Map<number, ServerResponse>()
    receiver.setResponder(({ event }, response) => void openResponses.set(event.number, response))
    await using _ = openDispatcher({ firstPauseSeconds: 60 })
    await fixture.recordAssetEvents(organizationId, newAssetId(), newAssetId(), newAssetId())
    await eventually(() => openResponses.size).toBe(3)
    await using reading = await Superuser.open(fixture.env)
    const waiting = () =>
      fixture.superuser.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      )
    // Locks a row so that the first success is written, and the due events are read, only after the second event
    // failed.
    await reading.query('begin')
    await reading.query('select from webhook_deliveries where webhook_id = $1 and number = 1 for update', [webhook.id])
    openResponses.get(1)?.writeHead(200).end()
    await eventually(waiting).toHaveLength(1)
    openResponses.get(2)?.writeHead(500).end()
    await reading.query('commit')
    await eventually(() => fixture.state(webhook)).toMatchObject({ isFailing: true })
    await eventually(() => states()).toEqual(['delivered', 'waiting', 'waiting'])
    openResponses.get(3)?.writeHead(200).end()
    await eventually(() => states()).toEqual(['delivered', 'waiting', 'delivered'])
    await eventually(() => fixture.state(webhook)).toMatchObject({
      isFailing: false,
      worker_id: null,
    })
  })
})

describe('webhook events of one asset', () => {
  it('arrive in order, even if many are recorded at once', async () => {
    await using _ = openDispatcher()
    const assets = [newAssetId(), newAssetId(), newAssetId()]
    receiver.setResponder((_, response) => {
      setTimeout(() => response.writeHead(200).end(), Math.random() * 20)
    })
    for (let round = 0; round < 10; round++) await fixture.recordAssetEvents(organizationId, ...assets, ...assets)
    await eventually(() => receiver.arrivals.length).toBe(60)
    for (const asset of assets) {
      const numbers = receiver.arrivals.filter(({ event }) => event.asset_id === asset).map(({ event }) => event.number)
      expect(numbers).toEqual([...numbers].sort((one, other) => one - other))
    }
  })

  it('wait for a failed event and continue after its retry; events of other assets do not wait', async () => {
    await using _ = openDispatcher({ firstPauseSeconds: 1 })
    const [bad, good] = [newAssetId(), newAssetId()]
    let isFailing = true
    receiver.setResponder(({ event }, response) =>
      response.writeHead(event.asset_id === bad && isFailing ? 500 : 200).end('error of the test'),
    )
    await fixture.recordAssetEvents(organizationId, bad, bad, bad, good)
    await eventually(() => receiver.numbers()).toEqual([1, 4])
    await eventually(() => fixture.state(webhook)).toMatchObject({ worker_id: null })
    await fixture.recordAssetEvents(organizationId, bad, good)
    await eventually(() => receiver.numbers()).toContain(6)
    expect(receiver.numbers()).not.toContain(2)
    isFailing = false
    await eventually(() => states()).toEqual(Array.from({ length: 6 }, () => 'delivered'))
    const ofBad = receiver.arrivals.filter(({ event }) => event.asset_id === bad)
    expect(ofBad.map(({ event }) => event.number)).toEqual([1, 1, 2, 3, 5])
    expect((await fixture.attempts(webhook))[0]).toMatchObject({
      status: 500,
      answer: 'error of the test',
    })
  })
})

describe('an internal error of the webhook dispatcher', () => {
  it('pauses the webhook if the result of a request cannot be written, and later events are delivered first', async () => {
    await using _ = openDispatcher()
    const alter = async (change: string) => {
      await fixture.superuser.query(`alter table webhook_attempts ${change}`)
    }
    await alter(`add constraint internal_error check (status <> 418) not valid`)
    await using __ = {
      [Symbol.asyncDispose]: () => alter('drop constraint if exists internal_error'),
    }
    receiver.setResponder(({ event }, response) => response.writeHead(event.number === 1 ? 418 : 200).end())
    await fixture.recordTokenEvent(organizationId)
    await eventually(async () => (await fixture.state(webhook))?.pausedFor).toBeGreaterThan(50)
    const withoutFailures = { worker_id: null, silences: 0, isFailing: false }
    await eventually(() => fixture.state(webhook)).toMatchObject(withoutFailures)
    await fixture.recordTokenEvent(organizationId)
    await fixture.superuser.query('update webhooks set due_at = now(), rests_until = now()')
    await eventually(() => states()).toEqual(['waiting', 'delivered'])
    expect(receiver.numbers()).toEqual([1, 2])
    await alter('drop constraint internal_error')
    await makeDue()
    await eventually(() => fixture.attempts(webhook)).toMatchObject([{ status: 418 }, { status: 200 }])
  })
})

describe('a missing encryption key of a webhook', () => {
  const another = { id: 'another', key: generateKeySync('aes', { length: 256 }) }

  it('does not count as a failure, even for days, and all events are delivered once the key is back', async () => {
    await fixture.recordAssetEvents(organizationId, newAssetId(), newAssetId())
    await fixture.superuser.query(
      `with old as (update webhook_deliveries set created_at = now() - interval '73 hours' where webhook_id = $1)
       update webhooks set failing_since = now() - interval '121 hours' where id = $1`,
      [webhook.id],
    )
    {
      await using _ = openDispatcher({ keyRing: [another] })
      await eventually(async () => (await fixture.state(webhook))?.pausedFor).toBeGreaterThan(50)
      const withoutFailures = { worker_id: null, silences: 0, disabled_because: null }
      await eventually(() => fixture.state(webhook)).toMatchObject(withoutFailures)
    }
    expect(await fixture.attempts(webhook)).toEqual([])
    expect(await states()).toEqual(['waiting', 'waiting'])
    await using _ = openDispatcher()
    await makeDue()
    await eventually(() => states()).toEqual(['delivered', 'delivered'])
    await eventually(() => fixture.state(webhook)).toMatchObject({
      isFailing: false,
      pausedFor: null,
    })
  })
})

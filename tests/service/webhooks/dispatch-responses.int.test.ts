/** Tests the webhook dispatcher with every kind of receiver, on a real database and real connections. */
import { newAssetId, type OrganizationId } from '@reelkeep/server/kernel/ids.ts'
import { opened } from '@reelkeep/testkit/vitest'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  eventually,
  makeDeliveriesDue,
  openTestDispatcher,
  type TestDispatcherOptions,
} from './in-process-dispatcher.ts'
import { neverRespond, openReceiver, type Receiver, respondWithStatus } from './receiver.ts'
import { openWebhookFixture, type TestWebhook } from './webhook-fixture.ts'

const fixture = await opened(openWebhookFixture('dispatch_responses'))
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

describe('the webhook dispatcher handling responses', () => {
  it.each([301, 302, 307, 400, 404, 429, 500, 503])(
    'delays only the event that got %i, and delivers other events',
    async (status) => {
      await using _ = openDispatcher({ firstPauseSeconds: 60 })
      const elsewhere = await openReceiver()
      await using __ = elsewhere
      receiver.setResponder(respondWithStatus(status, { location: elsewhere.url }))
      await fixture.recordTokenEvent(organizationId)
      await eventually(() => fixture.attempts(webhook)).toMatchObject([{ status }])
      receiver.setResponder(respondWithStatus(200))
      await fixture.recordTokenEvent(organizationId)
      await eventually(() => states()).toEqual(['waiting', 'delivered'])
      expect(elsewhere.connections()).toBe(0)
      const [first] = await fixture.deliveries(webhook)
      expect(first).toMatchObject({ attempts: 1, refusals: 1 })
      // The first pause is at most a fifth longer than configured; some of it has already passed.
      expect(first?.dueIn).toBeGreaterThan(0)
      expect(first?.dueIn).toBeLessThan(72.1)
    },
  )

  it('disables the webhook at once if the status is 410, and records an event', async () => {
    await using _ = openDispatcher()
    const other = await openReceiver()
    await using __ = other
    receiver.setResponder(respondWithStatus(410))
    await fixture.recordTokenEvent(organizationId)
    await eventually(() => fixture.state(webhook)).toMatchObject({
      disabled_because: 'gone',
      worker_id: null,
    })
    await fixture.newWebhook(organizationId, other.url)
    // Recording another event also sequences the `webhook.disabled` event.
    await fixture.recordTokenEvent(organizationId)
    await eventually(() => other.arrivals.map(({ event }) => event.type)).toContain('webhook.disabled')
    expect(receiver.arrivals).toHaveLength(1)
  })

  it.each([429, 503])('pauses the whole webhook for the time in Retry-After if the status is %i', async (status) => {
    await using _ = openDispatcher()
    receiver.setResponder(respondWithStatus(status, { 'retry-after': '3000' }))
    await fixture.recordTokenEvent(organizationId)
    await eventually(async () => (await fixture.state(webhook))?.pausedFor).toBeGreaterThan(2000)
    const other = await openReceiver(respondWithStatus(500))
    await using __ = other
    const retried = await fixture.newWebhook(organizationId, other.url)
    await fixture.recordTokenEvent(organizationId)
    // When the dispatcher has found this retry, it has skipped the paused webhook.
    await eventually(() => other.numbers().length).toBeGreaterThan(1)
    other.setResponder(respondWithStatus(200))
    await makeDeliveriesDue(fixture, retried)
    await eventually(() => states(retried)).toEqual(['delivered'])
    expect(receiver.numbers()).toEqual([1])
    await eventually(() => fixture.state(webhook)).toMatchObject({ worker_id: null, silences: 0 })
    receiver.setResponder(respondWithStatus(200))
    await makeDue()
    await eventually(() => states()).toEqual(['delivered', 'delivered'])
    await eventually(() => fixture.state(webhook)).toMatchObject({
      pausedFor: null,
      isFailing: false,
    })
  })

  it('cuts off an endless response and uses only its status', async () => {
    await using _ = openDispatcher()
    let sent = 0
    receiver.setResponder((_, response) => {
      response.writeHead(200)
      const send = () => {
        while (!response.destroyed && sent < 100e6 && response.write('x'.repeat(65_536))) sent += 65_536
      }
      response.on('drain', send)
      send()
    })
    await fixture.recordTokenEvent(organizationId)
    await eventually(() => states()).toEqual(['delivered'])
    expect(sent).toBeLessThan(50e6)
    const [attempt] = await fixture.attempts(webhook)
    expect(attempt?.answer).toBe('x'.repeat(1000))
  })

  it('stores a response with NUL bytes', async () => {
    await using _ = openDispatcher()
    receiver.setResponder(respondWithStatus(500, {}, 'a\0b'))
    await fixture.recordTokenEvent(organizationId)
    await eventually(() => fixture.attempts(webhook)).toMatchObject([{ answer: 'a\uFFFDb' }])
  })
})

describe('the webhook dispatcher without a valid response', () => {
  const timedOut = 'There was no response within 0.5 seconds.'
  const closedEarly = 'The connection was closed before the response was complete.'
  it.each<[string, Parameters<typeof receiver.setResponder>[0], string]>([
    ['a missing response', neverRespond, timedOut],
    ['a connection that is closed', (_, response) => response.destroy(), closedEarly],
    [
      'a connection that is closed during the response',
      (_, response) => {
        response.writeHead(200, { 'content-length': '100' }).write('half')
        setTimeout(() => response.destroy(), 20)
      },
      closedEarly,
    ],
    [
      'a response that trickles',
      (_, response) => {
        response.writeHead(200)
        const dripping = setInterval(() => response.write('.'), 50)
        response.on('close', () => clearInterval(dripping))
      },
      timedOut,
    ],
    [
      'a response that is not HTTP',
      (_, response) => void response.socket?.end('SSH-2.0-OpenSSH\r\n\r\n'),
      'The response is not HTTP',
    ],
  ])('pauses the webhook after %s, and then sends a single request first', async (_, responder, error) => {
    // The timeout is short only in the cases that wait for it.
    const requestSecondsMax = error === timedOut ? 0.5 : 60
    const dispatcher = openDispatcher({ requestSecondsMax, firstPauseSeconds: 600 })
    receiver.setResponder(responder)
    await fixture.recordAssetEvents(organizationId, newAssetId(), newAssetId(), newAssetId())
    await eventually(async () => (await fixture.state(webhook))?.pausedFor).toBeGreaterThan(300)
    await eventually(() => fixture.state(webhook)).toMatchObject({ worker_id: null, silences: 1 })
    const [attempt] = await fixture.attempts(webhook)
    expect(attempt?.status).toBeNull()
    expect(attempt?.error).toContain(error)
    const before = receiver.arrivals.length
    await makeDue()
    await eventually(() => fixture.state(webhook)).toMatchObject({ silences: 2, worker_id: null })
    expect(receiver.arrivals).toHaveLength(before + 1)
    await dispatcher[Symbol.asyncDispose]()
    await using _second = openDispatcher()
    receiver.setResponder(respondWithStatus(200))
    await makeDue()
    await eventually(() => states()).toEqual(['delivered', 'delivered', 'delivered'])
    await eventually(() => fixture.state(webhook)).toMatchObject({
      silences: 0,
      isFailing: false,
    })
  })

  it('records whether the port was closed or the address is forbidden', async () => {
    await using _ = openDispatcher({ publicNetworks: ['127.0.0.1/32:*'], firstPauseSeconds: 60 })
    await receiver[Symbol.asyncDispose]()
    const inside = await fixture.newWebhook(organizationId, 'http://127.0.0.2:1/')
    await fixture.recordTokenEvent(organizationId)
    await eventually(() => fixture.attempts(webhook)).toMatchObject([{ error: 'The connection was refused.' }])
    await eventually(() => fixture.attempts(inside)).toMatchObject([
      { error: 'The URL points to a network or port that is not allowed.' },
    ])
  })

  it('delivers events of other assets if only one event gets no response', async () => {
    await using _ = openDispatcher({ requestSecondsMax: 0.5, firstPauseSeconds: 0.5 })
    const bad = newAssetId()
    receiver.setResponder((arrival, response) => {
      if (arrival.event.asset_id !== bad) response.writeHead(200).end()
    })
    await fixture.recordAssetEvents(organizationId, bad, ...Array.from({ length: 30 }, newAssetId))
    const delivered = async () =>
      (await fixture.deliveries(webhook)).filter(({ state }) => state === 'delivered').length
    await eventually(delivered).toBe(30)
    const tries = receiver.arrivals.filter(({ event }) => event.asset_id === bad).length
    expect(tries).toBeLessThanOrEqual(4)
  })

  it('delivers to a responsive receiver without delay while ten others do not respond', async () => {
    await using _ = openDispatcher({ requestSecondsMax: 3600 })
    receiver.setResponder(neverRespond)
    for (let count = 0; count < 10; count++) await fixture.newWebhook(organizationId, receiver.url)
    const good = await openReceiver()
    await using __ = good
    const responsive = await fixture.newWebhook(organizationId, good.url)
    await fixture.recordAssetEvents(organizationId, newAssetId(), newAssetId())
    await eventually(() => receiver.arrivals.length).toBe(22)
    for (let number = 3; number <= 12; number++) {
      await fixture.recordAssetEvents(organizationId, newAssetId())
      // The responsive receiver would not get every event if the dispatcher waited for the other receivers.
      await eventually(() => good.arrivals.length).toBe(number)
    }
    await eventually(() => fixture.state(responsive)).toMatchObject({ worker_id: null })
  })
})

describe('the webhook dispatcher after failures for days', () => {
  it('releases its claim on a paused webhook that never succeeded when the webhook has no further events', async () => {
    await using _ = openDispatcher({ firstPauseSeconds: 5 })
    receiver.setResponder((_, response) => response.destroy())
    await fixture.recordTokenEvent(organizationId)
    await eventually(() => fixture.attempts(webhook)).toHaveLength(1)
    await fixture.superuser.query(`update webhook_deliveries set created_at = now() - interval '73 hours'`)
    await makeDue()
    await eventually(() => states()).toEqual(['failed'])
    await makeDue()
    await eventually(() => fixture.state(webhook)).toMatchObject({ worker_id: null, dueIn: null })
  })

  it('gives up an event, and delivers the next event of its asset', async () => {
    await using _ = openDispatcher({ firstPauseSeconds: 60 })
    const asset = newAssetId()
    receiver.setResponder(({ event }, response) => response.writeHead(event.number === 1 ? 500 : 200).end())
    await fixture.recordAssetEvents(organizationId, asset, asset)
    await eventually(() => fixture.attempts(webhook)).toHaveLength(1)
    await eventually(() => fixture.state(webhook)).toMatchObject({ worker_id: null })
    await fixture.superuser.query(
      `update webhook_deliveries set created_at = now() - interval '72 hours' where organization_id = $1 and number = 1`,
      [organizationId],
    )
    await makeDue()
    await eventually(() => states()).toEqual(['failed', 'delivered'])
    expect(receiver.numbers()).toEqual([1, 1, 2])
  })

  it('disables a webhook that always fails, and notifies other webhooks', async () => {
    await using _ = openDispatcher({ firstPauseSeconds: 60 })
    receiver.setResponder(respondWithStatus(500))
    const other = await openReceiver()
    await using __ = other
    await fixture.newWebhook(organizationId, other.url)
    await fixture.recordTokenEvent(organizationId)
    await eventually(() => fixture.state(webhook)).toMatchObject({
      isFailing: true,
      worker_id: null,
    })
    const age = (hours: number) =>
      fixture.superuser.query(`update webhooks set failing_since = now() - make_interval(hours => $1) where id = $2`, [
        hours,
        webhook.id,
      ])
    await age(119)
    await makeDue()
    await eventually(() => fixture.attempts(webhook)).toHaveLength(2)
    await eventually(() => fixture.state(webhook)).toMatchObject({
      disabled_because: null,
      worker_id: null,
    })
    await age(120)
    await makeDue()
    await eventually(() => fixture.state(webhook)).toMatchObject({ disabled_because: 'failing' })
    await fixture.recordTokenEvent(organizationId)
    await eventually(() => other.arrivals.map(({ event }) => event.type)).toContain('webhook.disabled')
    const disabled = other.arrivals.find(({ event }) => event.type === 'webhook.disabled')
    expect(JSON.parse(disabled?.body ?? '')).toMatchObject({ data: { id: webhook.id } })
    expect(disabled?.body).not.toContain(receiver.url)
    expect(receiver.arrivals).toHaveLength(3)
  })
})

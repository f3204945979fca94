/** Kills, freezes and stops workers while they deliver webhooks. Every event must still arrive. */
import type { ServerResponse } from 'node:http'
import { newAssetId, type OrganizationId } from '@reelkeep/server/kernel/ids.ts'
import { opened } from '@reelkeep/testkit/vitest'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { eventually } from './in-process-dispatcher.ts'
import { openReceiver, type Receiver, respondWithStatus } from './receiver.ts'
import { openWebhookFixture, type TestWebhook } from './webhook-fixture.ts'

const fixture = await opened(openWebhookFixture('dispatch_workers'))

let organizationId: OrganizationId
let receiver: Receiver
let webhook: TestWebhook
/** The responses that the receiver has not sent yet. */
let openResponses: ServerResponse[]
beforeEach(async () => {
  organizationId = await fixture.newOrganizationId()
  receiver = await openReceiver()
  webhook = await fixture.newWebhook(organizationId, receiver.url)
  openResponses = []
})
afterEach(async () => {
  await fixture.stopWorkers()
  await receiver[Symbol.asyncDispose]()
  // Prevents the workers of the next test from delivering these webhooks.
  await fixture.superuser.query('delete from webhooks')
})

const holdResponses = () => receiver.setResponder((_, response) => void openResponses.push(response))
const states = async () => (await fixture.deliveries(webhook)).map(({ state }) => state)
const claimedBy = async () => (await fixture.state(webhook))?.worker_id

/** Longer than any test, so a test with this lease fails if the code waits for the lease to expire. */
const longLease = { WORKER_LEASE_SECONDS: '300' }

describe('after kill -9 during a webhook request', () => {
  it('another worker delivers the event again after the lease has expired', async () => {
    holdResponses()
    const killed = await fixture.startWorker({ WORKER_ID: 'killed' })
    await fixture.recordAssetEvents(organizationId, newAssetId())
    await eventually(() => receiver.numbers()).toEqual([1])
    await fixture.startWorker({ WORKER_ID: 'successor' })
    await killed.stop('SIGKILL')
    receiver.setResponder(respondWithStatus(200))
    await fixture.expireLease('killed')
    await eventually(() => receiver.numbers()).toEqual([1, 1])
    await eventually(states).toEqual(['delivered'])
    await eventually(claimedBy).toBeNull()
  })

  it('the same worker delivers the event again when it restarts, without waiting for the lease', async () => {
    holdResponses()
    const first = await fixture.startWorker({ ...longLease, WORKER_ID: 'slot-3' })
    await fixture.recordAssetEvents(organizationId, newAssetId())
    await eventually(() => receiver.numbers()).toEqual([1])
    await first.stop('SIGKILL')
    receiver.setResponder(respondWithStatus(200))
    await fixture.startWorker({ ...longLease, WORKER_ID: 'slot-3' })
    await eventually(() => receiver.numbers()).toEqual([1, 1])
    await eventually(states).toEqual(['delivered'])
  })
})

describe('a frozen worker whose webhooks were reclaimed', () => {
  it('writes nothing when it resumes; the result of the worker that reclaimed them is stored', async () => {
    holdResponses()
    const frozen = await fixture.startWorker({ WORKER_ID: 'frozen' })
    await fixture.recordAssetEvents(organizationId, newAssetId())
    await eventually(() => openResponses.length).toBe(1)
    frozen.child.kill('SIGSTOP')
    await fixture.startWorker({ WORKER_ID: 'successor' })
    await fixture.expireLease('frozen')
    await eventually(() => openResponses.length).toBe(2)
    expect(await claimedBy()).toBe('successor')
    const [early, late] = openResponses
    early?.writeHead(500).end()
    frozen.child.kill('SIGCONT')
    // Waits until the worker has read the response and detected that it no longer owns the webhook.
    const metrics = async () => (await fetch(`${frozen.operationsUrl}/metrics`)).text()
    await eventually(metrics).toMatch(/^reelkeep_webhooks_claimed 0$/m)
    expect(await fixture.attempts(webhook)).toEqual([])
    late?.writeHead(200).end()
    await eventually(states).toEqual(['delivered'])
    expect(await fixture.attempts(webhook)).toMatchObject([{ attempt: 1, status: 200 }])
  })
})

describe('after SIGTERM during a webhook request', () => {
  it('the worker finishes a request that ends in time, and starts no other request', async () => {
    holdResponses()
    const worker = await fixture.startWorker({ WORKER_DRAIN_SECONDS: '300' })
    await fixture.recordAssetEvents(organizationId, newAssetId())
    await eventually(() => openResponses.length).toBe(1)
    const stopped = worker.stop('SIGTERM')
    await eventually(() => worker.log).toContain('stopping')
    await fixture.recordAssetEvents(organizationId, newAssetId())
    openResponses[0]?.writeHead(200).end()
    expect(await stopped).toBe(0)
    expect(await states()).toEqual(['delivered', 'waiting'])
    expect(await claimedBy()).toBeNull()
    receiver.setResponder(respondWithStatus(200))
    await fixture.startWorker()
    await eventually(() => receiver.numbers()).toEqual([1, 2])
  })

  it('the worker abandons a request that does not end in time, and another worker repeats it without waiting for the lease', async () => {
    holdResponses()
    const worker = await fixture.startWorker({ ...longLease, WORKER_DRAIN_SECONDS: '0' })
    await fixture.recordAssetEvents(organizationId, newAssetId())
    await eventually(() => openResponses.length).toBe(1)
    await fixture.startWorker(longLease)
    receiver.setResponder(respondWithStatus(200))
    expect(await worker.stop('SIGTERM')).toBe(0)
    await eventually(() => receiver.numbers()).toEqual([1, 1])
    await eventually(states).toEqual(['delivered'])
  })
})

describe('two workers', () => {
  it('never claim the same webhook, so each event arrives once, in order for each asset', async () => {
    const webhooks = [webhook]
    for (let count = 1; count < 20; count++)
      webhooks.push(await fixture.newWebhook(organizationId, `${receiver.url}&count=${count}`))
    receiver.setResponder((_, response) => {
      setTimeout(() => response.writeHead(200).end(), Math.random() * 30)
    })
    await Promise.all([fixture.startWorker({ WORKER_ID: 'one' }), fixture.startWorker({ WORKER_ID: 'two' })])
    const assets = [newAssetId(), newAssetId(), newAssetId()]
    for (let round = 0; round < 10; round++) await fixture.recordAssetEvents(organizationId, ...assets)
    await eventually(() => receiver.arrivals.length).toBe(30 * webhooks.length)
    for (const index of webhooks.keys()) {
      const path = index === 0 ? '/webhook?a=b' : `/webhook?a=b&count=${index}`
      const arrivals = receiver.arrivals.filter((arrival) => arrival.path === path)
      expect(new Set(arrivals.map(({ event }) => event.number)).size).toBe(30)
      for (const asset of assets) {
        const numbers = arrivals.filter(({ event }) => event.asset_id === asset).map(({ event }) => event.number)
        expect(numbers).toEqual([...numbers].sort((one, other) => one - other))
      }
    }
  })
})

describe('a worker without the light queue', () => {
  it('delivers no webhooks', async () => {
    holdResponses()
    await fixture.startWorker({ WORKER_ID: 'probe', WORKER_QUEUES: 'probe' })
    await fixture.recordAssetEvents(organizationId, newAssetId())
    await fixture.startWorker({ WORKER_ID: 'light one' })
    await eventually(() => openResponses.length).toBe(1)
    expect(await claimedBy()).toBe('light one')
  })

  it('releases webhooks claimed by a killed dispatcher with the same worker ID', async () => {
    holdResponses()
    const killed = await fixture.startWorker({ WORKER_ID: 'slot-4' })
    await fixture.recordAssetEvents(organizationId, newAssetId())
    await eventually(claimedBy).toBe('slot-4')
    await eventually(() => openResponses.length).toBe(1)
    await killed.stop('SIGKILL')
    receiver.setResponder(respondWithStatus(200))
    await fixture.startWorker({ WORKER_ID: 'slot-4', WORKER_QUEUES: 'probe' })
    await fixture.startWorker({ WORKER_ID: 'light two' })
    await eventually(states).toEqual(['delivered'])
  })
})

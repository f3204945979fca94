/** Workers are killed, frozen and stopped while they deliver webhooks. Every event still arrives. */
import type { ServerResponse } from 'node:http'
import { newAssetId, type OrganizationId } from '@reelkeep/server/kernel/ids.ts'
import { opened } from '@reelkeep/testkit/vitest'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openReceiver, type Receiver } from './receiver.ts'
import { type Hook, openWebhookStage } from './webhook-fixture.ts'

const fixture = await opened(openWebhookStage('courier_workers'))

let organizationId: OrganizationId
let receiver: Receiver
let hook: Hook
/** Requests waiting for a response. */
let held: ServerResponse[]
beforeEach(async () => {
  organizationId = await fixture.newOrganizationId()
  receiver = await openReceiver()
  hook = await fixture.newWebhook(organizationId, receiver.url)
  held = []
})
afterEach(async () => {
  await fixture.stopWorkers()
  await receiver[Symbol.asyncDispose]()
  // The workers of the next test must have nothing to deliver here.
  await fixture.superuser.query('delete from webhooks')
})

const soon = <Value>(look: () => Value | Promise<Value>) => expect.poll(look, { interval: 50 })
const hold = () => receiver.answerWith((_, response) => void held.push(response))
const states = async () => (await fixture.deliveries(hook)).map(({ state }) => state)
const holder = async () => (await fixture.state(hook))?.worker_id

/** Longer than any test: with this lease, only code that does not wait for its expiry passes. */
const longLease = { WORKER_LEASE_SECONDS: '300' }

describe('kill -9 during a webhook request', () => {
  it('another worker delivers the event again after the lease has expired', async () => {
    hold()
    const doomed = await fixture.startWorker({ WORKER_ID: 'doomed' })
    await fixture.happen(organizationId, newAssetId())
    await soon(() => receiver.numbers()).toEqual([1])
    await fixture.startWorker({ WORKER_ID: 'heir' })
    await doomed.stop('SIGKILL')
    receiver.answerWith((_, response) => response.writeHead(200).end())
    await fixture.expireLease('doomed')
    await soon(() => receiver.numbers()).toEqual([1, 1])
    await soon(states).toEqual(['delivered'])
    await soon(holder).toBeNull()
  })

  it('the same worker delivers the event again when it restarts, without waiting for the lease', async () => {
    hold()
    const first = await fixture.startWorker({ ...longLease, WORKER_ID: 'slot-3' })
    await fixture.happen(organizationId, newAssetId())
    await soon(() => receiver.numbers()).toEqual([1])
    await first.stop('SIGKILL')
    receiver.answerWith((_, response) => response.writeHead(200).end())
    await fixture.startWorker({ ...longLease, WORKER_ID: 'slot-3' })
    await soon(() => receiver.numbers()).toEqual([1, 1])
    await soon(states).toEqual(['delivered'])
  })
})

describe('a frozen worker whose webhooks were reclaimed', () => {
  it('writes nothing when it resumes; the result of the new owner counts', async () => {
    hold()
    const frozen = await fixture.startWorker({ WORKER_ID: 'frozen' })
    await fixture.happen(organizationId, newAssetId())
    await soon(() => held.length).toBe(1)
    frozen.child.kill('SIGSTOP')
    await fixture.startWorker({ WORKER_ID: 'heir' })
    await fixture.expireLease('frozen')
    await soon(() => held.length).toBe(2)
    expect(await holder()).toBe('heir')
    const [early, late] = held
    early?.writeHead(500).end('for the frozen worker')
    frozen.child.kill('SIGCONT')
    // It has read the response and found that it no longer owns the webhook.
    const inHand = async () => (await fetch(`${frozen.operationsUrl}/metrics`)).text()
    await soon(inHand).toMatch(/^reelkeep_webhooks_claimed 0$/m)
    expect(await fixture.attempts(hook)).toEqual([])
    late?.writeHead(200).end('for the new owner')
    await soon(states).toEqual(['delivered'])
    expect(await fixture.attempts(hook)).toMatchObject([
      { attempt: 1, answer: 'for the new owner' },
    ])
  })
})

describe('SIGTERM during a webhook request', () => {
  it('a request that ends in time is finished, and no new one is started', async () => {
    hold()
    const worker = await fixture.startWorker({ WORKER_DRAIN_SECONDS: '300' })
    await fixture.happen(organizationId, newAssetId())
    await soon(() => held.length).toBe(1)
    const stopped = worker.stop('SIGTERM')
    await soon(() => worker.log).toContain('stopping')
    await fixture.happen(organizationId, newAssetId())
    held[0]?.writeHead(200).end()
    expect(await stopped).toBe(0)
    expect(await states()).toEqual(['delivered', 'waiting'])
    expect(await holder()).toBeNull()
    receiver.answerWith((_, response) => response.writeHead(200).end())
    await fixture.startWorker()
    await soon(() => receiver.numbers()).toEqual([1, 2])
  })

  it('a request that does not end in time is abandoned, and repeated by another worker without waiting for the lease', async () => {
    hold()
    const worker = await fixture.startWorker({ ...longLease, WORKER_DRAIN_SECONDS: '0' })
    await fixture.happen(organizationId, newAssetId())
    await soon(() => held.length).toBe(1)
    await fixture.startWorker(longLease)
    receiver.answerWith((_, response) => response.writeHead(200).end())
    expect(await worker.stop('SIGTERM')).toBe(0)
    await soon(() => receiver.numbers()).toEqual([1, 1])
    await soon(states).toEqual(['delivered'])
  })
})

describe('two workers', () => {
  it('never claim the same webhook: each event arrives once, in order for each asset', async () => {
    const hooks = [hook]
    for (let count = 1; count < 20; count++)
      hooks.push(await fixture.newWebhook(organizationId, `${receiver.url}&count=${count}`))
    receiver.answerWith((_, response) => {
      setTimeout(() => response.writeHead(200).end(), Math.random() * 30)
    })
    await Promise.all([
      fixture.startWorker({ WORKER_ID: 'one' }),
      fixture.startWorker({ WORKER_ID: 'two' }),
    ])
    const assets = [newAssetId(), newAssetId(), newAssetId()]
    for (let round = 0; round < 10; round++) await fixture.happen(organizationId, ...assets)
    await soon(() => receiver.arrivals.length).toBe(30 * hooks.length)
    for (const { id } of hooks) {
      const index = hooks.findIndex((one) => one.id === id)
      const path = index === 0 ? '/hook?a=b' : `/hook?a=b&count=${index}`
      const told = receiver.arrivals.filter((arrival) => arrival.path === path)
      expect(new Set(told.map(({ event }) => event.number)).size).toBe(30)
      for (const asset of assets) {
        const numbers = told
          .filter(({ event }) => event.asset_id === asset)
          .map(({ event }) => event.number)
        expect(numbers).toEqual([...numbers].sort((one, other) => one - other))
      }
    }
  })
})

describe('a worker without the light queue', () => {
  it('delivers no webhooks', async () => {
    hold()
    await fixture.startWorker({ WORKER_ID: 'probe', WORKER_QUEUES: 'probe' })
    await fixture.happen(organizationId, newAssetId())
    await fixture.startWorker({ WORKER_ID: 'light one' })
    await soon(() => held.length).toBe(1)
    expect(await holder()).toBe('light one')
  })

  it('releases webhooks claimed by a killed dispatcher with the same worker ID', async () => {
    hold()
    const killed = await fixture.startWorker({ WORKER_ID: 'slot-4' })
    await fixture.happen(organizationId, newAssetId())
    await soon(holder).toBe('slot-4')
    await soon(() => held.length).toBe(1)
    await killed.stop('SIGKILL')
    receiver.answerWith((_, response) => response.writeHead(200).end())
    await fixture.startWorker({ WORKER_ID: 'slot-4', WORKER_QUEUES: 'probe' })
    await fixture.startWorker({ WORKER_ID: 'light two' })
    await soon(states).toEqual(['delivered'])
  })
})

/** Workers are killed, frozen and stopped while they tell webhooks what happened. Every event arrives all the same. */
import type { ServerResponse } from 'node:http'
import { newAssetId, type OrganizationId } from '@reelkeep/server/kernel/ids.ts'
import { opened } from '@reelkeep/testkit/vitest'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openReceiver, type Receiver } from './receiver.ts'
import { type Hook, openWebhookStage } from './webhook-stage.ts'

const stage = await opened(openWebhookStage('courier_workers'))

let organizationId: OrganizationId
let receiver: Receiver
let hook: Hook
/** Those that wait for an answer. */
let held: ServerResponse[]
beforeEach(async () => {
  organizationId = await stage.newOrganizationId()
  receiver = await openReceiver()
  hook = await stage.newWebhook(organizationId, receiver.url)
  held = []
})
afterEach(async () => {
  await stage.stopWorkers()
  await receiver[Symbol.asyncDispose]()
})

const soon = <Value>(look: () => Value | Promise<Value>, timeout = 10_000) =>
  expect.poll(look, { timeout, interval: 50 })
const hold = () => receiver.answerWith((_, response) => void held.push(response))
const states = async () => (await stage.deliveries(hook)).map(({ state }) => state)
const holder = async () => (await stage.state(hook))?.worker_id

describe('kill -9 in the middle of a request', () => {
  it('another worker tells the event again when the lease has run out', async () => {
    hold()
    const doomed = await stage.startWorker({ WORKER_ID: 'doomed' })
    await stage.happen(organizationId, newAssetId())
    await soon(() => receiver.numbers()).toEqual([1])
    await stage.startWorker({ WORKER_ID: 'heir' })
    await doomed.stop('SIGKILL')
    receiver.answerWith((_, response) => response.writeHead(200).end())
    await soon(() => receiver.numbers(), 30_000).toEqual([1, 1])
    await soon(states).toEqual(['delivered'])
    await soon(holder).toBeNull()
  })

  it('the same worker tells it again at once when it starts again', async () => {
    hold()
    const first = await stage.startWorker({ WORKER_ID: 'slot-3' })
    await stage.happen(organizationId, newAssetId())
    await soon(() => receiver.numbers()).toEqual([1])
    await first.stop('SIGKILL')
    receiver.answerWith((_, response) => response.writeHead(200).end())
    await stage.startWorker({ WORKER_ID: 'slot-3' })
    await soon(() => receiver.numbers(), 8000).toEqual([1, 1])
    await soon(states).toEqual(['delivered'])
  })
})

describe('a worker that was frozen and taken for dead', () => {
  it('writes nothing when it wakes up: what its heir found out counts', async () => {
    hold()
    const frozen = await stage.startWorker({ WORKER_ID: 'frozen' })
    await stage.happen(organizationId, newAssetId())
    await soon(() => held.length).toBe(1)
    frozen.child.kill('SIGSTOP')
    await stage.startWorker({ WORKER_ID: 'heir' })
    await soon(() => held.length, 40_000).toBe(2)
    expect(await holder()).toBe('heir')
    const [early, late] = held
    early?.writeHead(500).end('to the frozen one')
    frozen.child.kill('SIGCONT')
    // It gives its sign of life again, so it has come to its senses.
    const seen = async () => {
      const [row] = await stage.superuser.query<{ isAlive: boolean }>(
        `select seen_at > now() - interval '3 seconds' as "isAlive" from worker_leases where worker_id = 'frozen'`,
      )
      return row?.isAlive
    }
    await soon(seen).toBe(true)
    expect(await stage.attempts(hook)).toEqual([])
    late?.writeHead(200).end('to the heir')
    await soon(states).toEqual(['delivered'])
    expect(await stage.attempts(hook)).toMatchObject([{ attempt: 1, answer: 'to the heir' }])
  })
})

describe('SIGTERM', () => {
  it('a request that can end in time does, and nothing new is begun', async () => {
    hold()
    const worker = await stage.startWorker({ WORKER_DRAIN_SECONDS: '10' })
    await stage.happen(organizationId, newAssetId())
    await soon(() => held.length).toBe(1)
    const stopped = worker.stop('SIGTERM')
    await soon(() => worker.log).toContain('stopping')
    await stage.happen(organizationId, newAssetId())
    held[0]?.writeHead(200).end()
    expect(await stopped).toBe(0)
    expect(await states()).toEqual(['delivered', 'waiting'])
    expect(await holder()).toBeNull()
    receiver.answerWith((_, response) => response.writeHead(200).end())
    await stage.startWorker()
    await soon(() => receiver.numbers()).toEqual([1, 2])
  })

  it('one that cannot is abandoned, and made again by another worker at once', async () => {
    hold()
    const worker = await stage.startWorker({ WORKER_DRAIN_SECONDS: '0' })
    await stage.happen(organizationId, newAssetId())
    await soon(() => held.length).toBe(1)
    await stage.startWorker()
    receiver.answerWith((_, response) => response.writeHead(200).end())
    expect(await worker.stop('SIGTERM')).toBe(0)
    await soon(() => receiver.numbers(), 8000).toEqual([1, 1])
    await soon(states).toEqual(['delivered'])
  })
})

describe('two workers', () => {
  it('never have the same webhook in hand: each event arrives once, in order for each asset', async () => {
    const hooks = [hook]
    for (let count = 1; count < 20; count++)
      hooks.push(await stage.newWebhook(organizationId, `${receiver.url}&count=${count}`))
    receiver.answerWith((_, response) => {
      setTimeout(() => response.writeHead(200).end(), Math.random() * 30)
    })
    await stage.startWorker({ WORKER_ID: 'one' })
    await stage.startWorker({ WORKER_ID: 'two' })
    const assets = [newAssetId(), newAssetId(), newAssetId()]
    for (let round = 0; round < 10; round++) await stage.happen(organizationId, ...assets)
    await soon(() => receiver.arrivals.length, 20_000).toBe(30 * hooks.length)
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

describe('a worker that does no light work', () => {
  it('tells nobody', async () => {
    await stage.startWorker({ WORKER_QUEUES: 'probe' })
    await stage.happen(organizationId, newAssetId())
    await stage.startWorker({ WORKER_ID: 'light one' })
    hold()
    await stage.happen(organizationId, newAssetId())
    await soon(holder).toBe('light one')
  })

  it('gives back what a courier of its name left when it was killed', async () => {
    hold()
    const killed = await stage.startWorker({ WORKER_ID: 'slot-4' })
    await stage.happen(organizationId, newAssetId())
    await soon(holder).toBe('slot-4')
    await soon(() => held.length).toBe(1)
    await killed.stop('SIGKILL')
    receiver.answerWith((_, response) => response.writeHead(200).end())
    await stage.startWorker({ WORKER_ID: 'slot-4', WORKER_QUEUES: 'probe' })
    await stage.startWorker({ WORKER_ID: 'light two' })
    await soon(states, 20_000).toEqual(['delivered'])
  })
})

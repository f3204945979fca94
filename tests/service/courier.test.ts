/** What a courier does with every kind of receiver, on the real database and real connections. */
import { generateKeySync } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { Courier } from '@reelkeep/server/capabilities/webhooks/courier/courier.ts'
import { openCourierMetrics } from '@reelkeep/server/capabilities/webhooks/courier/courier-metrics.ts'
import { newAssetId, type OrganizationId } from '@reelkeep/server/kernel/ids.ts'
import type { KeyRing } from '@reelkeep/server/platform/config/key-settings.ts'
import { openListener } from '@reelkeep/server/platform/db/listener.ts'
import { toNetworks } from '@reelkeep/server/platform/http/network.ts'
import { openLogger } from '@reelkeep/server/platform/observability/logger.ts'
import { openMetrics } from '@reelkeep/server/platform/observability/metrics.ts'
import { openOutsideAgent } from '@reelkeep/server/platform/outside/outside-agent.ts'
import { Superuser } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { answering, hanging, openReceiver, type Receiver, verify } from './receiver.ts'
import { type Hook, openWebhookStage } from './webhook-stage.ts'

const stage = await opened(openWebhookStage('courier'))
const logger = openLogger('silent')

type Manner = {
  readonly firstPauseSeconds?: number
  readonly requestSecondsMax?: number
  readonly networks?: readonly string[]
  readonly keyRing?: KeyRing
}

/** A courier as the worker has it, but impatient. */
function openCourier(manner: Manner = {}) {
  const allowedNetworks = toNetworks(manner.networks ?? ['127.0.0.0/8'])
  if (!allowedNetworks) throw new Error('not networks')
  const { registry } = openMetrics(() => stage.asWorker.connections)
  const courier = new Courier({
    workerId: 'courier-test',
    database: stage.asWorker,
    keyRing: manner.keyRing ?? stage.keyRing,
    logger,
    metrics: openCourierMetrics(registry),
    patience: {
      retrySeconds: 72 * 3600,
      disableSeconds: 120 * 3600,
      firstPauseSeconds: manner.firstPauseSeconds ?? 0.2,
    },
    agent: openOutsideAgent({ allowedNetworks, connectSecondsMax: 5 }),
    userAgent: 'Reelkeep/test',
    requestSecondsMax: manner.requestSecondsMax ?? 5,
    drainSeconds: 0,
  })
  const listener = openListener({
    url: stage.env.DATABASE_WORKER_URL,
    channels: ['reelkeep_events'],
    onMessage: (_, id) => courier.wake(id as OrganizationId),
    onGap: () => void courier.look(),
    logger,
  })
  const scope = new AsyncDisposableStack()
  scope.use(courier)
  scope.use(listener)
  return { registry, [Symbol.asyncDispose]: () => scope.disposeAsync() }
}

let organizationId: OrganizationId
let receiver: Receiver
let hook: Hook
beforeEach(async () => {
  organizationId = await stage.newOrganizationId()
  receiver = await openReceiver()
  hook = await stage.newWebhook(organizationId, receiver.url)
})
afterEach(async () => {
  await receiver[Symbol.asyncDispose]()
})

const soon = <Value>(look: () => Value | Promise<Value>) =>
  expect.poll(look, { timeout: 10_000, interval: 20 })
const states = async (of = hook) => (await stage.deliveries(of)).map(({ state }) => state)
/** The pauses of the ladder are over. One after the other: couriers hold deliveries before webhooks, too. */
const makeDue = async () => {
  await stage.superuser.query(
    `update webhook_deliveries set due_at = now() where state = 'waiting'`,
  )
  await stage.superuser.query(
    'update webhooks set due_at = now(), rests_until = least(rests_until, now()) where due_at is not null',
  )
}

describe('an event', () => {
  it('is told once, signed, in the form of the log, and the webhook is laid down', async () => {
    await using courier = openCourier()
    const asset = newAssetId()
    await stage.happen(organizationId, asset)
    await soon(() => states()).toEqual(['delivered'])
    const [arrival] = receiver.arrivals
    if (!arrival) throw new Error('nothing arrived')
    verify(hook.secret, arrival)
    expect(arrival.headers).toMatchObject({
      'webhook-id': arrival.event.id,
      'content-type': 'application/json',
      'user-agent': 'Reelkeep/test',
    })
    expect(arrival.path).toBe('/hook?a=b')
    expect(arrival.event).toMatchObject({ number: 1, type: 'chapter.created', asset_id: asset })
    const attempts = await stage.attempts(hook)
    expect(attempts).toMatchObject([
      { number: 1, attempt: 1, status: 204, answer: '', error: null },
    ])
    await soon(() => stage.state(hook)).toMatchObject({ worker_id: null, dueIn: null })
    expect(await courier.registry.metrics()).toMatch(
      /reelkeep_webhook_attempts_total\{outcome="delivered"\} 1/,
    )
    await sleep(1500)
    expect(receiver.numbers()).toEqual([1])
  })

  it('is signed with both secrets while the old one counts, and then with the new one', async () => {
    await using _ = openCourier()
    const rotated = await stage.rotate(hook, 3600)
    await stage.happenElsewhere(organizationId)
    await soon(() => receiver.arrivals.length).toBe(1)
    for (const secret of [hook.secret, rotated]) {
      for (const arrival of receiver.arrivals) verify(secret, arrival)
    }
    const last = await stage.rotate(hook, -1)
    await stage.happenElsewhere(organizationId)
    await soon(() => receiver.arrivals.length).toBe(2)
    const [, arrival] = receiver.arrivals
    if (!arrival) throw new Error('nothing arrived')
    verify(last, arrival)
    expect(() => verify(rotated, arrival)).toThrow('No matching signature found')
  })

  it('that a courier was not told of is found by looking', async () => {
    await stage.happenElsewhere(organizationId)
    await using _ = openCourier()
    await soon(() => states()).toEqual(['delivered'])
    // As after a notification that was lost.
    await stage.superuser.query(
      `with again as (update webhook_deliveries set state = 'waiting', ended_at = null, due_at = now())
       update webhooks set due_at = now(), wakes = wakes + 1 where organization_id = $1`,
      [organizationId],
    )
    await soon(() => receiver.numbers()).toEqual([1, 1])
  })

  it('that comes while its webhook is laid down is not forgotten: five hundred, one by one', async () => {
    await using _ = openCourier()
    for (let number = 1; number <= 500; number++) {
      await stage.happenElsewhere(organizationId)
      if (number % 3 === 0) await soon(() => receiver.arrivals.length).toBe(number)
    }
    await soon(() => receiver.arrivals.length).toBe(500)
    expect(new Set(receiver.numbers()).size).toBe(500)
  })
})

describe('a webhook that is woken while it is laid down', () => {
  it('stays in hand: who wakes it and who lays it down wait for each other', async () => {
    await using waker = await Superuser.open(stage.env)
    await stage.happenElsewhere(organizationId)
    await using late = await openReceiver((_, response) => void held.push(response))
    const held: ServerResponse[] = []
    const woken = await stage.newWebhook(organizationId, late.url)
    await using _ = openCourier()
    await stage.happenElsewhere(organizationId)
    await soon(() => held.length).toBe(1)
    // As the fan-out of the first event would be, were it not older than the webhook.
    await waker.query('begin')
    await waker.query(
      `insert into webhook_deliveries (organization_id, webhook_id, number, numbered_at, event_id, type, subject, due_at)
       select organization_id, $2, number, numbered_at, id, type, subject, now() from events where organization_id = $1 and number = 1`,
      [organizationId, woken.id],
    )
    await waker.query(`update webhooks set due_at = now(), wakes = wakes + 1 where id = $1`, [
      woken.id,
    ])
    held[0]?.writeHead(200).end()
    const waiting = async () =>
      stage.superuser.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      )
    await soon(waiting).toHaveLength(1)
    await waker.query('commit')
    await soon(() => late.numbers()).toEqual([2, 1])
    held[1]?.writeHead(200).end()
    await soon(() => states(woken)).toEqual(['delivered', 'delivered'])
  })
})

describe('a failure that is written while the webhook is read', () => {
  it('is forgiven by the next success all the same', async () => {
    const held = new Map<number, ServerResponse>()
    receiver.answerWith(({ event }, response) => void held.set(event.number, response))
    await using _ = openCourier({ firstPauseSeconds: 60 })
    await stage.happen(organizationId, newAssetId(), newAssetId(), newAssetId())
    await soon(() => held.size).toBe(3)
    await using reading = await Superuser.open(stage.env)
    await using writing = await Superuser.open(stage.env)
    const waiting = () =>
      stage.superuser.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      )
    // The first success is written, and what is due read, only when the failure of the second is on its way.
    await reading.query('begin')
    await reading.query(
      'select from webhook_deliveries where webhook_id = $1 and number = 1 for update',
      [hook.id],
    )
    await writing.query('begin')
    await writing.query('select from webhooks where id = $1 for update', [hook.id])
    held.get(1)?.writeHead(200).end()
    await soon(waiting).toHaveLength(1)
    held.get(2)?.writeHead(500).end()
    await soon(waiting).toHaveLength(2)
    await reading.query('commit')
    await soon(waiting).toHaveLength(1)
    await soon(() => states()).toEqual(['delivered', 'waiting', 'waiting'])
    await writing.query('commit')
    await soon(() => stage.state(hook)).toMatchObject({ isFailing: true })
    held.get(3)?.writeHead(200).end()
    await soon(() => states()).toEqual(['delivered', 'waiting', 'delivered'])
    await soon(() => stage.state(hook)).toMatchObject({ isFailing: false, worker_id: null })
  })
})

describe('events of one asset', () => {
  it('arrive in their order, though many are told at once', async () => {
    await using _ = openCourier()
    const assets = [newAssetId(), newAssetId(), newAssetId()]
    receiver.answerWith((_, response) => {
      setTimeout(() => response.writeHead(200).end(), Math.random() * 20)
    })
    for (let round = 0; round < 10; round++)
      await stage.happen(organizationId, ...assets, ...assets)
    await soon(() => receiver.arrivals.length).toBe(60)
    for (const asset of assets) {
      const numbers = receiver.arrivals
        .filter(({ event }) => event.asset_id === asset)
        .map(({ event }) => event.number)
      expect(numbers).toEqual([...numbers].sort((one, other) => one - other))
    }
  })

  it('wait behind one that is refused, and go on after it; those of others do not wait', async () => {
    await using _ = openCourier({ firstPauseSeconds: 1 })
    const [bad, good] = [newAssetId(), newAssetId()]
    let refused = true
    receiver.answerWith(({ event }, response) =>
      response.writeHead(event.asset_id === bad && refused ? 500 : 200).end('so it is'),
    )
    await stage.happen(organizationId, bad, bad, bad, good)
    await soon(() => receiver.numbers()).toEqual([1, 4])
    await soon(() => stage.state(hook)).toMatchObject({ worker_id: null })
    await stage.happen(organizationId, bad, good)
    await soon(() => receiver.numbers()).toContain(6)
    expect(receiver.numbers()).not.toContain(2)
    refused = false
    await soon(() => states()).toEqual(Array.from({ length: 6 }, () => 'delivered'))
    const ofBad = receiver.arrivals.filter(({ event }) => event.asset_id === bad)
    expect(ofBad.map(({ event }) => event.number)).toEqual([1, 1, 2, 3, 5])
    expect((await stage.attempts(hook))[0]).toMatchObject({ status: 500, answer: 'so it is' })
  })
})

describe('an answer', () => {
  it.each([301, 302, 307, 400, 404, 429, 500, 503])(
    '%i: the event rests, and others go on',
    async (status) => {
      await using _ = openCourier({ firstPauseSeconds: 5 })
      const elsewhere = await openReceiver()
      await using __ = elsewhere
      receiver.answerWith(answering(status, { location: elsewhere.url }))
      await stage.happenElsewhere(organizationId)
      await soon(() => stage.attempts(hook)).toMatchObject([{ status }])
      receiver.answerWith(answering(200))
      await stage.happenElsewhere(organizationId)
      await soon(() => states()).toEqual(['waiting', 'delivered'])
      expect(elsewhere.connections()).toBe(0)
      const [first] = await stage.deliveries(hook)
      expect(first).toMatchObject({ attempts: 1, refusals: 1 })
      expect(first?.dueIn).toBeGreaterThan(3)
      expect(first?.dueIn).toBeLessThan(6.1)
    },
  )

  it('410 disables the webhook at once, and that is told', async () => {
    await using _ = openCourier()
    const other = await openReceiver()
    await using __ = other
    receiver.answerWith(answering(410))
    await stage.happenElsewhere(organizationId)
    await soon(() => stage.state(hook)).toMatchObject({ disabled_because: 'gone', worker_id: null })
    await stage.newWebhook(organizationId, other.url)
    // As the publisher does.
    await stage.happenElsewhere(organizationId)
    await soon(() => other.arrivals.map(({ event }) => event.type)).toContain('webhook.disabled')
    expect(receiver.arrivals).toHaveLength(1)
  })

  it.each([429, 503])('%i with Retry-After: all of the webhook rests so long', async (status) => {
    await using _ = openCourier()
    receiver.answerWith(answering(status, { 'retry-after': '30' }))
    await stage.happenElsewhere(organizationId)
    await soon(async () => (await stage.state(hook))?.restsFor).toBeGreaterThan(28)
    await stage.happenElsewhere(organizationId)
    await sleep(1500)
    expect(receiver.numbers()).toEqual([1])
    await soon(() => stage.state(hook)).toMatchObject({ worker_id: null, silences: 0 })
    receiver.answerWith(answering(200))
    await makeDue()
    await soon(() => states()).toEqual(['delivered', 'delivered'])
    await soon(() => stage.state(hook)).toMatchObject({ restsFor: null, isFailing: false })
  })

  it('without end is cut off, and counts by its status', async () => {
    await using _ = openCourier()
    let sent = 0
    receiver.answerWith((_, response) => {
      response.writeHead(200)
      const send = () => {
        while (!response.destroyed && sent < 100e6 && response.write('x'.repeat(65_536)))
          sent += 65_536
      }
      response.on('drain', send)
      send()
    })
    await stage.happenElsewhere(organizationId)
    await soon(() => states()).toEqual(['delivered'])
    expect(sent).toBeLessThan(50e6)
    const [attempt] = await stage.attempts(hook)
    expect(attempt?.answer).toBe('x'.repeat(1000))
  })

  it('with zeros in it is kept', async () => {
    await using _ = openCourier()
    receiver.answerWith(answering(500, {}, 'a\0b'))
    await stage.happenElsewhere(organizationId)
    await soon(() => stage.attempts(hook)).toMatchObject([{ answer: 'a\uFFFDb' }])
  })
})

describe('no answer', () => {
  const untold = 'There was no answer within 0.5 seconds.'
  const cut = 'The connection was closed before the answer was complete.'
  it.each<[string, Parameters<typeof receiver.answerWith>[0], string]>([
    ['silence', hanging, untold],
    ['a connection that is closed', (_, response) => response.destroy(), cut],
    [
      'one that is closed half way',
      (_, response) => {
        response.writeHead(200, { 'content-length': '100' }).write('half')
        setTimeout(() => response.destroy(), 20)
      },
      cut,
    ],
    [
      'drops of an answer',
      (_, response) => {
        response.writeHead(200)
        const dripping = setInterval(() => response.write('.'), 50)
        response.on('close', () => clearInterval(dripping))
      },
      untold,
    ],
    [
      'something that is not HTTP',
      (_, response) => void response.socket?.end('SSH-2.0-OpenSSH\r\n\r\n'),
      'The answer is not HTTP',
    ],
  ])('%s: the webhook rests, then one request goes first', async (_, answer, error) => {
    await using _courier = openCourier({ requestSecondsMax: 0.5, firstPauseSeconds: 60 })
    receiver.answerWith(answer)
    await stage.happen(organizationId, newAssetId(), newAssetId(), newAssetId())
    await soon(async () => (await stage.state(hook))?.restsFor).toBeGreaterThan(50)
    await soon(() => stage.state(hook)).toMatchObject({ worker_id: null, silences: 1 })
    const [attempt] = await stage.attempts(hook)
    expect(attempt?.status).toBeNull()
    expect(attempt?.error).toContain(error)
    const before = receiver.arrivals.length
    await makeDue()
    await soon(() => stage.state(hook)).toMatchObject({ silences: 2, worker_id: null })
    expect(receiver.arrivals).toHaveLength(before + 1)
    receiver.answerWith(answering(200))
    await makeDue()
    await soon(() => states()).toEqual(['delivered', 'delivered', 'delivered'])
    await soon(() => stage.state(hook)).toMatchObject({ silences: 0, isFailing: false })
  })

  it('a port where nobody listens, and an address that is not allowed, say so', async () => {
    await using _ = openCourier({ networks: ['127.0.0.1/32'], firstPauseSeconds: 60 })
    await receiver[Symbol.asyncDispose]()
    const inside = await stage.newWebhook(organizationId, 'http://127.0.0.2:1/')
    await stage.happenElsewhere(organizationId)
    await soon(() => stage.attempts(hook)).toMatchObject([{ error: 'The connection was refused.' }])
    await soon(() => stage.attempts(inside)).toMatchObject([
      { error: 'The address leads into a network that webhooks must not lead into.' },
    ])
  })

  it('of one event only does not hold up the others for long', async () => {
    await using _ = openCourier({ requestSecondsMax: 0.5, firstPauseSeconds: 0.5 })
    const bad = newAssetId()
    receiver.answerWith((arrival, response) => {
      if (arrival.event.asset_id !== bad) response.writeHead(200).end()
    })
    await stage.happen(organizationId, bad, ...Array.from({ length: 30 }, newAssetId))
    const delivered = async () =>
      (await stage.deliveries(hook)).filter(({ state }) => state === 'delivered').length
    await soon(delivered).toBe(30)
    const tries = receiver.arrivals.filter(({ event }) => event.asset_id === bad).length
    expect(tries).toBeLessThanOrEqual(4)
  })

  it('of ten receivers holds up no other', async () => {
    await using _ = openCourier({ requestSecondsMax: 15, firstPauseSeconds: 60 })
    receiver.answerWith(hanging)
    for (let count = 0; count < 10; count++) await stage.newWebhook(organizationId, receiver.url)
    const good = await openReceiver()
    await using __ = good
    const told = await stage.newWebhook(organizationId, good.url)
    await stage.happen(organizationId, newAssetId(), newAssetId())
    await soon(() => receiver.arrivals.length).toBe(22)
    for (let number = 3; number <= 12; number++) {
      const begun = performance.now()
      await stage.happen(organizationId, newAssetId())
      await soon(() => good.arrivals.length).toBe(number)
      expect(performance.now() - begun).toBeLessThan(2000)
    }
    await soon(() => stage.state(told)).toMatchObject({ worker_id: null })
  })
})

describe('a fault of our own', () => {
  it('that lets an outcome never be written: the webhook rests, and others go first then', async () => {
    await using _ = openCourier()
    const alter = async (change: string) => {
      await stage.superuser.query(`alter table webhook_attempts ${change}`)
    }
    await alter(`add constraint fault check (status <> 418) not valid`)
    await using __ = { [Symbol.asyncDispose]: () => alter('drop constraint if exists fault') }
    receiver.answerWith(({ event }, response) =>
      response.writeHead(event.number === 1 ? 418 : 200).end(),
    )
    await stage.happenElsewhere(organizationId)
    await soon(async () => (await stage.state(hook))?.restsFor).toBeGreaterThan(50)
    const blameless = { worker_id: null, silences: 0, isFailing: false }
    await soon(() => stage.state(hook)).toMatchObject(blameless)
    await stage.happenElsewhere(organizationId)
    await stage.superuser.query('update webhooks set due_at = now(), rests_until = now()')
    await soon(() => states()).toEqual(['waiting', 'delivered'])
    expect(receiver.numbers()).toEqual([1, 2])
    await alter('drop constraint fault')
    await makeDue()
    await soon(() => stage.attempts(hook)).toMatchObject([{ status: 418 }, { status: 200 }])
  })
})

describe('a key that the operator has lost', () => {
  const another = { id: 'another', key: generateKeySync('aes', { length: 256 }) }

  it('counts against nobody, however long: all is told when it is back', async () => {
    await stage.happen(organizationId, newAssetId(), newAssetId())
    await stage.superuser.query(
      `with old as (update webhook_deliveries set created_at = now() - interval '73 hours' where webhook_id = $1)
       update webhooks set failing_since = now() - interval '121 hours' where id = $1`,
      [hook.id],
    )
    {
      await using _ = openCourier({ keyRing: [another] })
      await soon(async () => (await stage.state(hook))?.restsFor).toBeGreaterThan(50)
      const blameless = { worker_id: null, silences: 0, disabled_because: null }
      await soon(() => stage.state(hook)).toMatchObject(blameless)
    }
    expect(await stage.attempts(hook)).toEqual([])
    expect(await states()).toEqual(['waiting', 'waiting'])
    await using _ = openCourier()
    await makeDue()
    await soon(() => states()).toEqual(['delivered', 'delivered'])
    await soon(() => stage.state(hook)).toMatchObject({ isFailing: false, restsFor: null })
  })
})

describe('after a long time', () => {
  it('a webhook with nothing more to tell is laid down, though it rested and never succeeded', async () => {
    await using _ = openCourier({ firstPauseSeconds: 5 })
    receiver.answerWith((_, response) => response.destroy())
    await stage.happenElsewhere(organizationId)
    await soon(() => stage.attempts(hook)).toHaveLength(1)
    await stage.superuser.query(
      `update webhook_deliveries set created_at = now() - interval '73 hours'`,
    )
    await makeDue()
    await soon(() => states()).toEqual(['failed'])
    await makeDue()
    await soon(() => stage.state(hook)).toMatchObject({ worker_id: null, dueIn: null })
  })

  it('an event is given up, and its asset goes on', async () => {
    await using _ = openCourier({ firstPauseSeconds: 60 })
    const asset = newAssetId()
    receiver.answerWith(({ event }, response) =>
      response.writeHead(event.number === 1 ? 500 : 200).end(),
    )
    await stage.happen(organizationId, asset, asset)
    await soon(() => stage.attempts(hook)).toHaveLength(1)
    await soon(() => stage.state(hook)).toMatchObject({ worker_id: null })
    await stage.superuser.query(
      `update webhook_deliveries set created_at = now() - interval '72 hours' where organization_id = $1 and number = 1`,
      [organizationId],
    )
    await makeDue()
    await soon(() => states()).toEqual(['failed', 'delivered'])
    expect(receiver.numbers()).toEqual([1, 1, 2])
  })

  it('a webhook that only fails is disabled, and that is told to others', async () => {
    await using _ = openCourier({ firstPauseSeconds: 60 })
    receiver.answerWith(answering(500))
    const other = await openReceiver()
    await using __ = other
    await stage.newWebhook(organizationId, other.url)
    await stage.happenElsewhere(organizationId)
    await soon(() => stage.state(hook)).toMatchObject({ isFailing: true, worker_id: null })
    const age = (hours: number) =>
      stage.superuser.query(
        `update webhooks set failing_since = now() - make_interval(hours => $1) where id = $2`,
        [hours, hook.id],
      )
    await age(119)
    await makeDue()
    await soon(() => stage.attempts(hook)).toHaveLength(2)
    await soon(() => stage.state(hook)).toMatchObject({ disabled_because: null, worker_id: null })
    await age(120)
    await makeDue()
    await soon(() => stage.state(hook)).toMatchObject({ disabled_because: 'failing' })
    await stage.happenElsewhere(organizationId)
    await soon(() => other.arrivals.map(({ event }) => event.type)).toContain('webhook.disabled')
    const disabled = other.arrivals.find(({ event }) => event.type === 'webhook.disabled')
    expect(JSON.parse(disabled?.body ?? '')).toMatchObject({ data: { id: hook.id } })
    expect(disabled?.body).not.toContain(receiver.url)
    expect(receiver.arrivals).toHaveLength(3)
  })
})

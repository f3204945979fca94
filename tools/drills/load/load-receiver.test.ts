/** Tests that the checks of received webhooks fail when they should. */
import { Caller } from '@reelkeep/testkit'
import { Webhook } from 'standardwebhooks'
import { expect, it, onTestFinished } from 'vitest'
import { LoadReceiver } from './load-receiver.ts'

const SECRET = `whsec_${Buffer.alloc(32, 'x').toString('base64')}`

type LoggedEvent = { readonly number: number; readonly type: string; readonly id: string }

const event = (number: number, title: string) => ({
  ...{ id: `e${number}`, number, type: 'folder.updated', asset_id: null, created_at: '' },
  data: { uuid: 'f1', title, parent: null },
})

const [before, one, two, three] = [
  event(1, 'Before'),
  event(2, 'One'),
  event(3, 'Two'),
  { ...event(4, 'Three'), type: 'token.created' },
] as const

/** Opens a fake service with an event log, and a receiver that subscribes only to folder events. */
async function open({ waiting = [] as object[] } = {}) {
  const log: LoggedEvent[] = [before]
  let url = ''
  const bodyOf = (method: string, path: string, sent: string | undefined) => {
    if (path.includes('/events/')) {
      const after = Number(/after=(\d+)/.exec(path)?.[1])
      return { results: log.filter(({ number }) => number > after), has_more: false }
    }
    if (path.includes('state=waiting')) return { results: waiting }
    if (method !== 'POST') return { results: [] }
    const webhook = JSON.parse(sent ?? '') as { url: string }
    url = webhook.url
    return { id: 'w1', secret: SECRET, ...webhook }
  }
  const caller = new Caller(
    async ({ method, path, body }) => ({
      status: method === 'POST' ? 201 : 200,
      headers: { 'content-type': 'application/json' },
      text: JSON.stringify(bodyOf(method, path, body)),
    }),
    ...(['acme12', 'token'] as const),
  )
  const receiver = await LoadReceiver.open(caller, ['folder.*'])
  onTestFinished(() => receiver[Symbol.asyncDispose]())
  log.push(one, two, three)
  const deliver = async (delivered: LoggedEvent, secret = SECRET) => {
    const [body, now] = [JSON.stringify(delivered), new Date()]
    const headers = {
      'webhook-id': delivered.id,
      'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
      'webhook-signature': new Webhook(secret).sign(delivered.id, now, body),
    }
    await fetch(url, { method: 'POST', body, headers })
  }
  return { deliver, report: () => receiver.waitUntilIdle(caller, 0.1) }
}

const passed = { delivered: 2, repeated: 0, missing: [], violations: [], undelivered: [] }

it('LoadReceiver accepts deliveries in order', async () => {
  const { deliver, report } = await open()
  for (const logged of [one, two]) await deliver(logged)
  expect(await report()).toEqual(passed)
})

it('LoadReceiver counts repeated deliveries', async () => {
  const { deliver, report } = await open()
  for (const logged of [one, one, two, one]) await deliver(logged)
  expect(await report()).toEqual({ ...passed, repeated: 2 })
})

it('LoadReceiver reports missing deliveries', async () => {
  const { deliver, report } = await open()
  await deliver(one)
  expect(await report()).toEqual({ ...passed, delivered: 1, missing: [JSON.stringify(two)] })
})

it('LoadReceiver reports out-of-order deliveries', async () => {
  const { deliver, report } = await open()
  for (const logged of [two, one]) await deliver(logged)
  expect(await report()).toMatchObject({ violations: ['3 of f1 arrived before 2 was accepted'] })
})

it('LoadReceiver reports unsubscribed events, events not in the log, and events older than the webhook', async () => {
  const { deliver, report } = await open()
  const unexpected = [three, { ...two, data: { uuid: 'f1', title: 'Else' } }, before]
  for (const logged of [one, two, ...unexpected]) await deliver(logged)
  expect(await report()).toMatchObject({
    violations: [
      expect.stringContaining('not subscribed to'),
      expect.stringContaining('not in the log'),
      expect.stringContaining('not in the log'),
    ],
  })
})

it('LoadReceiver reports deliveries signed with another secret', async () => {
  const { deliver, report } = await open()
  await deliver(one)
  await deliver(two, `whsec_${Buffer.alloc(32, 'y').toString('base64')}`)
  const found = await report()
  expect(found).toMatchObject({
    delivered: 1,
    violations: [expect.stringContaining('unsigned')],
  })
})

it('LoadReceiver reports deliveries that are still pending', async () => {
  const { deliver, report } = await open({ waiting: [{ event_id: 'e3', state: 'waiting' }] })
  for (const logged of [one, two]) await deliver(logged)
  expect(await report()).toMatchObject({ undelivered: [expect.stringContaining('e3')] })
})

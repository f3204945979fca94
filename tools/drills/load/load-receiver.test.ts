/** The checks of received webhooks must be able to fail. */
import { Caller } from '@reelkeep/testkit'
import { Webhook } from 'standardwebhooks'
import { expect, it, onTestFinished } from 'vitest'
import { LoadReceiver } from './load-receiver.ts'

const SECRET = `whsec_${Buffer.alloc(32, 'x').toString('base64')}`

type Told = { readonly number: number; readonly type: string; readonly id: string }

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

/** A service with this log, and a receiver that subscribes only to folder events. */
async function open({ waiting = [] as object[] } = {}) {
  const log: Told[] = [before]
  let url = ''
  const bodyOf = (method: string, path: string, sent: string | undefined) => {
    if (path.includes('/events/')) {
      const after = Number(/after=(\d+)/.exec(path)?.[1])
      return { results: log.filter(({ number }) => number > after), has_more: false }
    }
    if (path.includes('state=waiting')) return { results: waiting }
    if (method !== 'POST') return { results: [] }
    const wish = JSON.parse(sent ?? '') as { url: string }
    url = wish.url
    return { id: 'w1', secret: SECRET, ...wish }
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
  const tell = async (told: Told, secret = SECRET) => {
    const [body, now] = [JSON.stringify(told), new Date()]
    const headers = {
      'webhook-id': told.id,
      'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
      'webhook-signature': new Webhook(secret).sign(told.id, now, body),
    }
    await fetch(url, { method: 'POST', body, headers })
  }
  return { tell, judged: () => receiver.atRest(caller, 0.1) }
}

const fine = { told: 2, again: 0, missing: [], faults: [], undelivered: [] }

it('accepts deliveries in order', async () => {
  const { tell, judged } = await open()
  for (const told of [one, two]) await tell(told)
  expect(await judged()).toEqual(fine)
})

it('counts repeated deliveries', async () => {
  const { tell, judged } = await open()
  for (const told of [one, one, two, one]) await tell(told)
  expect(await judged()).toEqual({ ...fine, again: 2 })
})

it('finds missing deliveries', async () => {
  const { tell, judged } = await open()
  await tell(one)
  expect(await judged()).toEqual({ ...fine, told: 1, missing: [JSON.stringify(two)] })
})

it('finds deliveries out of order', async () => {
  const { tell, judged } = await open()
  for (const told of [two, one]) await tell(told)
  expect(await judged()).toMatchObject({ faults: ['3 of f1 arrived before 2 was accepted'] })
})

it('finds deliveries that were not subscribed to, differ from the log, or are older than the webhook', async () => {
  const { tell, judged } = await open()
  const strange = [three, { ...two, data: { uuid: 'f1', title: 'Else' } }, before]
  for (const told of [one, two, ...strange]) await tell(told)
  expect(await judged()).toMatchObject({
    faults: [
      expect.stringContaining('not subscribed to'),
      expect.stringContaining('not in the log'),
      expect.stringContaining('not in the log'),
    ],
  })
})

it('finds deliveries with a foreign signature', async () => {
  const { tell, judged } = await open()
  await tell(one)
  await tell(two, `whsec_${Buffer.alloc(32, 'y').toString('base64')}`)
  const found = await judged()
  expect(found).toMatchObject({ told: 1, faults: [expect.stringContaining('unsigned')] })
})

it('finds deliveries that are still pending', async () => {
  const { tell, judged } = await open({ waiting: [{ event_id: 'e3', state: 'waiting' }] })
  for (const told of [one, two]) await tell(told)
  expect(await judged()).toMatchObject({ undelivered: [expect.stringContaining('e3')] })
})

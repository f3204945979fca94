/** Events about tokens. */
import type { tokens } from '@reelkeep/contract'
import { type Caller, TestApi } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { type EventLogReader, newEventRecorder } from './recorded-events.ts'

const testApi = await opened(TestApi.open())

const recorder = newEventRecorder()
let caller: Caller
let eventLog: EventLogReader
beforeEach(async () => {
  caller = await testApi.newOrganization()
  eventLog = await recorder.open(caller)
})

afterAll(() => expect(recorder.unseenTypes('token')).toEqual([]))

const input = { name: 'Nightly', scopes: ['folders:read'] }

const create = async (headers = {}) => (await caller.post<tokens.NewToken>('tokens/', input, headers)).body
const rotate = async (id: string, headers = {}) =>
  (await caller.post<tokens.NewToken>(`tokens/${id}/rotate/`, {}, headers)).body

describe('events about a token', () => {
  it('are recorded for its creation, also if the operator creates the first token', async () => {
    const { id } = await create()
    expect(await eventLog.next()).toMatchObject([
      { type: 'token.created', asset_id: null, data: { id, name: 'Nightly' } },
    ])
    const { body } = await caller.get<{ results: { type: string }[] }>('events/?limit=1')
    expect(body.results).toMatchObject([{ type: 'token.created', data: { name: 'Test' } }])
  })

  it('name the new token and the old one after a rotation', async () => {
    const old = await create()
    await eventLog.next()
    const { id } = await rotate(old.id)
    expect(await eventLog.next()).toMatchObject([
      { type: 'token.created', data: { id, name: 'Nightly' } },
      { type: 'token.rotated', data: { id: old.id, name: 'Nightly' } },
    ])
  })

  it('report its revocation once', async () => {
    const { id } = await create()
    await eventLog.next()
    const responses = await Promise.all([1, 2, 3].map(() => caller.delete(`tokens/${id}/`)))
    expect(responses.map(({ status }) => status)).toEqual([204, 204, 204])
    expect(await eventLog.next()).toMatchObject([{ type: 'token.revoked', data: { id, name: 'Nightly' } }])
  })

  it('contain neither the token nor any other secret', async () => {
    const first = await create()
    const second = await rotate(first.id)
    await caller.delete(`tokens/${second.id}/`)
    const { text } = await caller.get('events/')
    expect(text).toContain(second.id)
    for (const { token } of [caller, first, second]) {
      expect(token.length).toBeGreaterThan(20)
      expect(text).not.toContain(token.slice(token.lastIndexOf('_') + 1))
    }
  })
})

describe('no event is recorded', () => {
  it('for a rejected request', async () => {
    const { id } = await create()
    await caller.delete(`tokens/${id}/`)
    await eventLog.next()
    const unknown = '018f2c1e-0000-7000-8000-000000000000'
    const rejected = [
      await caller.post('tokens/', { ...input, expires_at: '2001-01-01T00:00:00Z' }),
      await caller.post(`tokens/${id}/rotate/`, {}),
      await caller.delete(`tokens/${unknown}/`),
    ]
    expect(rejected.map(({ body }) => body.code)).toEqual(['invalid_expiry', 'token_not_live', 'token_not_found'])
    expect(await eventLog.next()).toEqual([])
  })

  it('again for requests repeated with their idempotency keys', async () => {
    const [first] = [await create({ 'idempotency-key': 'a' }), await create({ 'idempotency-key': 'a' })]
    for (let time = 0; time < 2; time++) await rotate(first.id, { 'idempotency-key': 'b' })
    expect(await eventLog.nextTypes()).toEqual(['token.created', 'token.created', 'token.rotated'])
  })

  it('for another organization', async () => {
    const neighbour = await recorder.open(await testApi.newOrganization())
    await create()
    expect(await neighbour.next()).toEqual([])
  })
})

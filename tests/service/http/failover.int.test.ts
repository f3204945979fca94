/** Tests the service with a standby of Postgres: it finds the new primary, and never acknowledges what may be lost. */
import type { events as contract, ResponseOf } from '@reelkeep/contract'
import { ApiProcess, newCaller, OwnPostgres } from '@reelkeep/testkit'
import { expect, it } from 'vitest'

it('the API uses the primary, and finds the new one after a promotion without a restart', async () => {
  await using postgres = await OwnPostgres.start('failover')
  const env = await postgres.startStandby('sync')
  await using api = await ApiProcess.start({ DATABASE_CONNECTIONS_MAX: '8' }, env)
  const caller = await newCaller(api.send, env)
  const create = () => caller.post<{ uuid: string }>('assets/folders/', { title: 'x' })
  const ready = async () => (await fetch(`${api.operationsUrl}/readyz`)).status
  const { status, body } = await create()
  expect(status).toBe(201)
  await postgres.promote()
  await expect.poll(async () => (await create()).status).toBe(201)
  await expect.poll(ready).toBe(200)
  expect((await caller.get(`assets/folders/${body.uuid}/`)).status, 'acknowledged before the promotion').toBe(200)
})

it('a write that the synchronous standby has not stored is not acknowledged when its wait times out', async () => {
  await using postgres = await OwnPostgres.start('failover')
  const env = await postgres.startStandby('sync')
  await using api = await ApiProcess.start({ DATABASE_STATEMENT_TIMEOUT_SECONDS: '2' }, env)
  const caller = await newCaller(api.send, env)
  const create = () => caller.post('assets/folders/', { title: 'x' })
  expect((await create()).status).toBe(201)
  await postgres.detachStandby()
  const { status, headers } = await create()
  expect(status).toBe(503)
  expect(Number(headers['retry-after'])).toBeGreaterThan(0)
})

it('a client gets 410 when a promotion has lost the event log that it read, also when the new one is longer', async () => {
  await using postgres = await OwnPostgres.start('failover')
  const env = await postgres.startStandby('async')
  await using standby = await postgres.openStandby()
  await using api = await ApiProcess.start({ DATABASE_CONNECTIONS_MAX: '8' }, env)
  const caller = await newCaller(api.send, env)
  const read = (query: string) => caller.get<ResponseOf<typeof contract.listEvents>>(`events/?${query}`)
  await expect.poll(() => standby.query('select from event_outbox')).not.toHaveLength(0)
  await postgres.detachStandby()
  // The first read creates the log.
  const { after } = (await read('last=1')).body
  expect(after).toBeGreaterThan(0)
  await postgres.promote()
  const create = () => caller.post('assets/folders/', { title: 'x' })
  await expect.poll(async () => (await create()).status).toBe(201)
  for (let number = 0; number < after; number++) expect((await create()).status).toBe(201)
  expect((await read('last=1000')).body.results.length).toBeGreaterThan(after)
  expect((await read(`after=${after}`)).status).toBe(410)
})

/** Tests that the service reports when Postgres is down, and recovers automatically. */
import { setTimeout as sleep } from 'node:timers/promises'
import { ApiProcess, type Caller, newCaller, OwnPostgres, Superuser } from '@reelkeep/testkit'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

let postgres: OwnPostgres
let api: ApiProcess
let caller: Caller
beforeAll(async () => {
  postgres = await OwnPostgres.start('outage')
})
afterAll(() => postgres[Symbol.asyncDispose]())

beforeEach(async () => {
  api = await ApiProcess.start({ DATABASE_CONNECTIONS_MAX: '8' }, postgres.env)
  caller = await newCaller(api.send, postgres.env)
  return () => api[Symbol.asyncDispose]()
})

const list = () => caller.get<{ count: number; code: string }>('assets/folders/')
const create = (input = {}, headers = {}) =>
  caller.post<{ uuid: string; code: string }>('assets/folders/', { title: 'x', ...input }, headers)

/** Recorded instead of a response if the service does not respond because it has ended. */
const NO_ANSWER = { status: 0, body: { uuid: '', code: '' } }

const health = async (path: string) => (await fetch(api.operationsUrl + path)).status

describe('while Postgres is down', () => {
  it('requests get 503 with Retry-After, and succeed again once Postgres is back', async () => {
    expect((await create()).status).toBe(201)
    await postgres.kill()
    try {
      // The first request finds broken connections, later ones find none, and for the last the token cache has expired.
      for (const pause of [0, 10, 500, 2000]) {
        await sleep(pause)
        const { status, body, headers } = await list()
        expect({ status, code: body.code }).toEqual({ status: 503, code: 'unavailable' })
        expect(headers['content-type']).toBe('application/problem+json; charset=utf-8')
        expect(Number(headers['retry-after'])).toBeGreaterThan(0)
      }
      expect((await create()).status).toBe(503)
      await expect.poll(() => health('/readyz')).toBe(503)
      expect(await health('/livez')).toBe(200)
      expect((await caller.withToken('junk').get('tokens/')).status).toBe(401)
    } finally {
      await postgres.restart()
    }
    await expect.poll(async () => (await list()).status).toBe(200)
    await expect.poll(() => health('/readyz')).toBe(200)
    expect((await list()).body.count).toBe(1)
    expect((await create()).status).toBe(201)
  })

  it('every request under load gets 201 or 503, and the API keeps running', async () => {
    const statuses = new Set<number>()
    const created: string[] = []
    let unavailable = 0
    let isOver = false
    const busy = Array.from({ length: 12 }, async () => {
      while (!isOver) {
        const { status, body } = await create().catch(() => NO_ANSWER)
        statuses.add(status)
        if (status === 201) created.push(body.uuid)
        if (status === 503) unavailable++
        if (status !== 201) await sleep(20)
      }
    })
    await expect.poll(() => created.length).toBeGreaterThan(100)
    await postgres.kill()
    // Enough responses per client to cover broken connections, no connections, and an expired token cache.
    await expect.poll(() => unavailable).toBeGreaterThan(500)
    await postgres.restart()
    const before = created.length
    await expect.poll(() => created.length).toBeGreaterThan(before + 100)
    isOver = true
    await Promise.all(busy)
    expect([...statuses].sort()).toEqual([201, 503])
    expect(api.child.exitCode).toBeNull()
    await expect.poll(async () => (await list()).status).toBe(200)
    // Every folder that was acknowledged with 201 exists. After a 503, a folder may or may not exist.
    for (const uuid of created) {
      expect((await caller.get(`assets/folders/${uuid}/`)).status, uuid).toBe(200)
    }
  })
})

describe('while Postgres is read-only, as an old primary is after a failover', () => {
  it('no request succeeds, the API is not ready, and both recover', async () => {
    await using superuser = await Superuser.open(postgres.env)
    const setReadOnly = async (value: 'on' | 'off') => {
      await superuser.query(`alter system set default_transaction_read_only = ${value}`)
      await superuser.query('select pg_reload_conf()')
    }
    expect((await create()).status).toBe(201)
    await superuser.query(`set default_transaction_read_only = off`)
    await setReadOnly('on')
    try {
      await expect.poll(() => health('/readyz')).toBe(503)
      for (let time = 0; time < 10; time++) {
        const { status, headers } = await create()
        expect(status).toBe(503)
        expect(Number(headers['retry-after'])).toBeGreaterThan(0)
      }
      expect((await list()).status, 'a read would return old data').toBe(503)
    } finally {
      await setReadOnly('off')
    }
    await expect.poll(async () => (await create()).status).toBe(201)
    await expect.poll(() => health('/readyz')).toBe(200)
  })
})

describe('while an administrator terminates connections', () => {
  it('requests get 201 or 503 at any point of a transaction, and the service keeps running', async () => {
    await using superuser = await Superuser.open(postgres.env)
    const parent = (await create()).body.uuid
    const statuses = new Set<number>()
    let isOver = false
    const busy = Array.from({ length: 12 }, async (_, worker) => {
      for (let turn = 0; !isOver; turn++) {
        // A parent and an idempotency key make the request a transaction of several round trips.
        const key = { 'idempotency-key': `${worker} ${turn}` }
        statuses.add((await create({ parent }, key).catch(() => NO_ANSWER)).status)
      }
    })
    for (let time = 0; time < 100; time++) {
      await superuser.query(`select pg_terminate_backend(pid) from pg_stat_activity where usename = 'reelkeep_api'`)
      await sleep(20)
    }
    isOver = true
    await Promise.all(busy)
    expect(api.child.exitCode).toBeNull()
    expect([...statuses].filter((status) => status !== 201 && status !== 503)).toEqual([])
    await expect.poll(async () => (await list()).status).toBe(200)
  })
})

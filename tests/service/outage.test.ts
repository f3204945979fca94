/** Postgres goes away and comes back; the service says so, and mends by itself. */
import { setTimeout as sleep } from 'node:timers/promises'
import {
  ApiProcess,
  Caller,
  newOrganization,
  OwnPostgres,
  openOwner,
  Superuser,
} from '@reelkeep/testkit'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

let postgres: OwnPostgres
let api: ApiProcess
let caller: Caller
beforeAll(async () => {
  postgres = await OwnPostgres.start('outage')
})
afterAll(() => postgres[Symbol.asyncDispose](), 60_000)

beforeEach(async () => {
  api = await ApiProcess.start({ DATABASE_CONNECTIONS_MAX: '8' }, postgres.env)
  await using owner = openOwner(postgres.env)
  const { organizationId, token } = await newOrganization(owner)
  caller = new Caller(api.send, organizationId, token)
  return () => api[Symbol.asyncDispose]()
})

const list = () => caller.get<{ count: number; code: string }>('assets/folders/')
const create = (wish = {}, headers = {}) =>
  caller.post<{ uuid: string; code: string }>('assets/folders/', { title: 'x', ...wish }, headers)

/** A service that ended gives no answer at all. */
const NO_ANSWER = { status: 0, body: { uuid: '', code: '' } }

const health = async (path: string) => (await fetch(api.operationsUrl + path)).status

describe('while Postgres is away', () => {
  it('503: says so at once, when to come back, and serves by itself when it can', async () => {
    expect((await create()).status).toBe(201)
    await postgres.kill()
    try {
      // The first finds connections that broke, the later ones find none, and the token is forgotten.
      for (const pause of [0, 10, 500, 2000]) {
        await sleep(pause)
        const start = performance.now()
        const { status, body, headers } = await list()
        expect({ status, code: body.code }).toEqual({ status: 503, code: 'unavailable' })
        expect(headers['content-type']).toBe('application/problem+json; charset=utf-8')
        expect(Number(headers['retry-after'])).toBeGreaterThan(0)
        expect(performance.now() - start).toBeLessThan(2000)
      }
      expect((await create()).status).toBe(503)
      await expect.poll(() => health('/readyz'), { timeout: 5000 }).toBe(503)
      expect(await health('/livez')).toBe(200)
      expect((await caller.withToken('junk').get('tokens/')).status).toBe(401)
    } finally {
      await postgres.restart()
    }
    await expect.poll(async () => (await list()).status, { timeout: 5000 }).toBe(200)
    await expect.poll(() => health('/readyz'), { timeout: 5000 }).toBe(200)
    expect((await list()).body.count).toBe(1)
    expect((await create()).status).toBe(201)
  })

  it('503 or the truth: under load no request hangs, lies or ends the service', async () => {
    const statuses = new Set<number>()
    const made: string[] = []
    let slowest = 0
    let isOver = false
    const busy = Array.from({ length: 12 }, async () => {
      while (!isOver) {
        const start = performance.now()
        const { status, body } = await create().catch(() => NO_ANSWER)
        slowest = Math.max(slowest, performance.now() - start)
        statuses.add(status)
        if (status === 201) made.push(body.uuid)
        if (status !== 201) await sleep(20)
      }
    })
    await sleep(300)
    await postgres.kill()
    await sleep(4000)
    await postgres.restart()
    await sleep(1000)
    isOver = true
    await Promise.all(busy)
    expect([...statuses].sort()).toEqual([201, 503])
    expect(slowest).toBeLessThan(3000)
    expect(api.child.exitCode).toBeNull()
    await expect.poll(async () => (await list()).status, { timeout: 5000 }).toBe(200)
    // What was acknowledged is there; a 503 may or may not have happened, as after any lost answer.
    for (const uuid of made) {
      expect((await caller.get(`assets/folders/${uuid}/`)).status, uuid).toBe(200)
    }
  })
})

describe('while an administrator ends connections', () => {
  it('503 or the truth: wherever a transaction stands, and the service goes on', async () => {
    await using superuser = await Superuser.open(postgres.env)
    const parent = (await create()).body.uuid
    const statuses = new Set<number>()
    let isOver = false
    const busy = Array.from({ length: 12 }, async (_, worker) => {
      for (let turn = 0; !isOver; turn++) {
        // Under a parent and a key: several exchanges with Postgres in one transaction.
        const key = { 'idempotency-key': `${worker} ${turn}` }
        statuses.add((await create({ parent }, key).catch(() => NO_ANSWER)).status)
      }
    })
    for (let time = 0; time < 100; time++) {
      await superuser.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where usename = 'reelkeep_api'`,
      )
      await sleep(20)
    }
    isOver = true
    await Promise.all(busy)
    expect(api.child.exitCode).toBeNull()
    expect([...statuses].filter((status) => status !== 201 && status !== 503)).toEqual([])
    await expect.poll(async () => (await list()).status, { timeout: 5000 }).toBe(200)
  })
})

import { randomInt } from 'node:crypto'
import { openLineTo, Superuser, stackEnv } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { beforeEach, describe, expect, it } from 'vitest'
import { newOrganizationId } from '../../kernel/ids.ts'
import { isDatabaseAway } from './availability.ts'
import { Database } from './database.ts'
import type { Query } from './statement.ts'

const superuser = await opened(Superuser.open())

const idleErrors: Error[] = []
let database: Database
const open = (url: string, statementTimeoutSeconds = 1) =>
  new Database({ url, connectionsMax: 1, statementTimeoutSeconds }, (error) =>
    idleErrors.push(error),
  )
beforeEach(() => {
  idleErrors.length = 0
  database = open(stackEnv().DATABASE_URL)
  return () => database[Symbol.asyncDispose]()
})

const query = (text: string): Query<{ value: number }> => ({ name: text, text, values: () => [] })
const pid = query('select pg_backend_pid() as value')
const nap = (seconds: number) => query(`select 1 as value from pg_sleep(${seconds})`)

const ask = async (from: Database, what: Query<{ value: number }>) =>
  (await from.ask(what))[0]?.value
const end = (backend: number | undefined) =>
  superuser.query('select pg_terminate_backend($1, 5000)', [backend])

/** The error, and how long it took to come. */
async function failureOf(work: Promise<unknown>) {
  const start = performance.now()
  const error = await work.then(
    () => undefined,
    (error: unknown) => error,
  )
  return { error, seconds: (performance.now() - start) / 1000 }
}

describe('a statement that takes too long', () => {
  it('is cancelled, and its connection goes on', async () => {
    const before = await ask(database, pid)
    const { error, seconds } = await failureOf(database.ask(nap(10)))
    expect(error).toMatchObject({ code: '57014' })
    expect(isDatabaseAway(error)).toBe(true)
    expect(seconds).toBeLessThan(9)
    expect(await ask(database, pid)).toBe(before)
  })
})

describe('two that wait for each other', () => {
  it('the one that Postgres gives up may try again', async () => {
    await using other = await Superuser.open()
    await using patient = new Database(
      { url: stackEnv().DATABASE_URL, connectionsMax: 1, statementTimeoutSeconds: 20 },
      () => {},
    )
    const [ours, theirs] = [randomInt(1e9), randomInt(1e9)]
    const lock = (key: number) => `select 1 as value from pg_advisory_xact_lock(${key})`
    const waiting = () =>
      superuser.query(
        `select from pg_locks where locktype = 'advisory' and objid = $1 and not granted`,
        [ours],
      )
    // Whoever looks first whether they wait in a circle is given up.
    await other.query(`set deadlock_timeout = '1min'`)
    await other.query('begin')
    await other.query(lock(theirs))
    let granted: Promise<unknown> | undefined
    const { error } = await failureOf(
      patient.forOrganization(newOrganizationId()).transaction(async (tx) => {
        await tx.run(query(lock(ours)))
        granted = other.query(lock(ours))
        await expect.poll(waiting, { timeout: 10_000 }).toHaveLength(1)
        await tx.run(query(lock(theirs)))
      }),
    )
    expect(error).toMatchObject({ code: '40P01' })
    expect(isDatabaseAway(error)).toBe(true)
    await expect(granted, 'the other one goes on').resolves.toHaveLength(1)
  })
})

describe('a connection that Postgres ends', () => {
  it('in the middle of a statement: that one fails, the next one works', async () => {
    await using patient = open(stackEnv().DATABASE_URL, 60)
    const before = await ask(patient, pid)
    const failing = failureOf(patient.ask(nap(30)))
    const naps = `select from pg_stat_activity where pid = $1 and wait_event = 'PgSleep'`
    await expect.poll(() => superuser.query(naps, [before])).toHaveLength(1)
    await end(before)
    const { error } = await failing
    expect(isDatabaseAway(error)).toBe(true)
    expect(await ask(patient, pid)).not.toBe(before)
  })

  it('while nobody uses it: nobody notices but the log', async () => {
    const before = await ask(database, pid)
    await end(before)
    await expect.poll(() => idleErrors.length, { timeout: 5000 }).toBe(1)
    expect(await ask(database, pid)).not.toBe(before)
  })

  it('between two statements of a transaction: it fails, and the next one works', async () => {
    const db = database.forOrganization(newOrganizationId())
    const failing = failureOf(
      db.transaction(async (tx) => {
        const [[row]] = await tx.run(pid)
        await end(row?.value)
        await tx.run(pid)
      }),
    )
    expect(isDatabaseAway((await failing).error)).toBe(true)
    expect(await db.run(nap(0))).toEqual([[{ value: 1 }]])
  })
})

/** Stands between the service and Postgres and can fall silent, as a network does that loses packets. */
async function openSilencer() {
  let isSilent = false
  const line = await openLineTo(stackEnv().DATABASE_URL, (near, far) => {
    near.on('data', (bytes) => isSilent || far.write(bytes))
    far.on('data', (bytes) => isSilent || near.write(bytes))
  })
  return {
    ...line,
    fallSilent: (silent: boolean) => {
      isSilent = silent
    },
  }
}

describe('a network that falls silent', () => {
  it('is given up on in time, and the next statement gets another connection', async () => {
    await using silencer = await openSilencer()
    await using behind = open(silencer.url)
    const before = await ask(behind, pid)
    silencer.fallSilent(true)
    const { error, seconds } = await failureOf(behind.ask(pid))
    expect(isDatabaseAway(error)).toBe(true)
    expect(seconds).toBeLessThan(30)
    silencer.fallSilent(false)
    expect(await ask(behind, pid)).not.toBe(before)
  })
})

describe('no connection to be had', () => {
  it('says so at once when nobody listens', async () => {
    const url = new URL(stackEnv().DATABASE_URL)
    url.port = '1'
    await using nowhere = open(url.href)
    const { error, seconds } = await failureOf(nowhere.ask(pid))
    expect(isDatabaseAway(error)).toBe(true)
    expect(seconds).toBeLessThan(4)
  })

  it('says so after five seconds when all are taken', async () => {
    const db = database.forOrganization(newOrganizationId())
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    const holding = db.transaction(() => released)
    const { error, seconds } = await failureOf(database.ask(pid))
    expect(isDatabaseAway(error)).toBe(true)
    expect(seconds).toBeGreaterThan(4.5)
    expect(seconds).toBeLessThan(30)
    release()
    await holding
    expect(await ask(database, nap(0))).toBe(1)
  })
})

it('a fault of the statement itself is not taken for a database that is away', async () => {
  for (const text of ['select 1 / 0 as value', 'select from nowhere', 'not even SQL']) {
    const { error } = await failureOf(database.ask(query(text)))
    expect(error).toBeInstanceOf(Error)
    expect(isDatabaseAway(error), text).toBe(false)
  }
})

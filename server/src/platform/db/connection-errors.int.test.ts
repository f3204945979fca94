import { randomInt } from 'node:crypto'
import { Superuser, stackEnv, TcpProxy, timeout } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { beforeEach, describe, expect, it } from 'vitest'
import { newOrganizationId } from '../../kernel/ids.ts'
import { Database } from './database.ts'
import { isDatabaseUnavailable } from './errors/availability.ts'
import type { Query } from './statement.ts'

const superuser = await opened(Superuser.open())

const idleErrors: Error[] = []
let database: Database
const open = (url: string, statementTimeoutSeconds = 1) =>
  new Database({ url, connectionsMax: 1, statementTimeoutSeconds }, (error) => idleErrors.push(error))
beforeEach(() => {
  idleErrors.length = 0
  database = open(stackEnv().DATABASE_URL)
  return () => database[Symbol.asyncDispose]()
})

const query = (text: string): Query<{ value: number }> => ({ name: text, text, values: () => [] })
const pid = query('select pg_backend_pid() as value')
const nap = (seconds: number) => query(`select 1 as value from pg_sleep(${seconds})`)

const select = async (from: Database, what: Query<{ value: number }>) => (await from.runUnscoped(what))[0]?.value
const end = (backend: number | undefined) => superuser.query('select pg_terminate_backend($1, 5000)', [backend])

/** The error that the work rejects with; undefined if it resolves. */
const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  )

describe('a statement that exceeds the timeout', () => {
  it('is cancelled, and its connection stays usable', async () => {
    const before = await select(database, pid)
    const error = await failureOf(database.runUnscoped(nap(3600)))
    expect(error).toMatchObject({ code: '57014' })
    expect(isDatabaseUnavailable(error)).toBe(true)
    expect(await select(database, pid)).toBe(before)
  })
})

describe('a deadlock', () => {
  it('counts as an unavailable database in the transaction that Postgres aborts', async () => {
    await using other = await Superuser.open()
    await using slow = new Database(
      { url: stackEnv().DATABASE_URL, connectionsMax: 1, statementTimeoutSeconds: 120 },
      () => {},
    )
    const [ours, theirs] = [randomInt(1e9), randomInt(1e9)]
    const lock = (key: number) => `select 1 as value from pg_advisory_xact_lock(${key})`
    const waiting = () =>
      superuser.query(`select from pg_locks where locktype = 'advisory' and objid = $1 and not granted`, [ours])
    // Postgres aborts the transaction that first checks for deadlocks, so the other connection must check later.
    await other.query(`set deadlock_timeout = '1min'`)
    await other.query('begin')
    await other.query(lock(theirs))
    let granted: Promise<unknown> | undefined
    const error = await failureOf(
      slow.forOrganization(newOrganizationId()).transaction(async (tx) => {
        await tx.run(query(lock(ours)))
        granted = other.query(lock(ours))
        await expect.poll(waiting).toHaveLength(1)
        await tx.run(query(lock(theirs)))
      }),
    )
    expect(error).toMatchObject({ code: '40P01' })
    expect(isDatabaseUnavailable(error)).toBe(true)
    await expect(granted, 'the other transaction continues').resolves.toHaveLength(1)
  })
})

describe('a connection that Postgres terminates', () => {
  it('makes the running statement fail, and the next statement works', async () => {
    await using slow = open(stackEnv().DATABASE_URL, 120)
    const before = await select(slow, pid)
    const failing = failureOf(slow.runUnscoped(nap(3600)))
    const naps = `select from pg_stat_activity where pid = $1 and wait_event = 'PgSleep'`
    await expect.poll(() => superuser.query(naps, [before])).toHaveLength(1)
    await end(before)
    expect(isDatabaseUnavailable(await failing)).toBe(true)
    expect(await select(slow, pid)).not.toBe(before)
  })

  it('is replaced and logged if it was idle', async () => {
    const before = await select(database, pid)
    await end(before)
    await expect.poll(() => idleErrors.length).toBe(1)
    expect(await select(database, pid)).not.toBe(before)
  })

  it('makes its transaction fail, and the next transaction works', async () => {
    const db = database.forOrganization(newOrganizationId())
    const failing = failureOf(
      db.transaction(async (tx) => {
        const [[row]] = await tx.run(pid)
        await end(row?.value)
        await tx.run(pid)
      }),
    )
    expect(isDatabaseUnavailable(await failing)).toBe(true)
    expect(await db.run(nap(0))).toEqual([[{ value: 1 }]])
  })
})

describe('a server that becomes read-only', () => {
  const becomeReadOnly = query('set default_transaction_read_only = on')
  const write = query('create table never_created ()')

  it('makes the write fail as unavailable, and its connection is not used again', async () => {
    const before = await select(database, pid)
    // A transaction that began before the change fails with the error of the statement.
    const failing = failureOf(
      database.forOrganization(newOrganizationId()).transaction(async (tx) => {
        await tx.run(query('set transaction read only'))
        await tx.run(write)
      }),
    )
    const error = await failing
    expect(error).toMatchObject({ code: '25006' })
    expect(isDatabaseUnavailable(error)).toBe(true)
    expect(await select(database, pid)).not.toBe(before)
  })

  it('is left when it reports the change, before a write fails', async () => {
    const before = await select(database, pid)
    await failureOf(database.runUnscoped(becomeReadOnly))
    await expect.poll(() => select(database, pid).catch(() => before)).not.toBe(before)
  })

  it('is refused when a connection is opened', async () => {
    const url = new URL(stackEnv().DATABASE_URL)
    url.searchParams.set('options', '-c default_transaction_read_only=on')
    await using readOnly = open(url.href)
    const error = await failureOf(readOnly.runUnscoped(pid))
    expect(isDatabaseUnavailable(error)).toBe(true)
    expect(String(error)).toContain('read-only')
  })
})

describe('a URL with several servers', () => {
  const urlOf = (...hosts: string[]) => stackEnv().DATABASE_URL.replace(/@[^/]*/, `@${hosts.join()}`)
  const hostOf = (url: string) => new URL(url).host
  const own = hostOf(stackEnv().DATABASE_URL)

  it('connects to the server that responds', async () => {
    await using several = open(urlOf('127.0.0.1:1', own))
    expect(await select(several, nap(0))).toBe(1)
  })

  it('fails as unavailable while no server responds', async () => {
    await using several = open(urlOf('127.0.0.1:1', '127.0.0.1:2'))
    expect(isDatabaseUnavailable(await failureOf(several.runUnscoped(pid)))).toBe(true)
  })

  it('leaves a server that stops responding while a statement runs', async () => {
    await using first = await TcpProxy.open(stackEnv().DATABASE_URL)
    await using second = await TcpProxy.open(stackEnv().DATABASE_URL)
    second.rules = [{ action: timeout }]
    await using several = open(urlOf(hostOf(first.url), hostOf(second.url)), 600)
    const before = await select(several, pid)
    const failing = failureOf(several.runUnscoped(nap(3600)))
    first.rules = [{ action: timeout }]
    second.reset()
    expect(isDatabaseUnavailable(await failing)).toBe(true)
    expect(await select(several, pid)).not.toBe(before)
    await end(before)
  })
})

describe('a network that drops all packets', () => {
  it('makes the statement fail, and the next statement gets another connection', async () => {
    await using proxy = await TcpProxy.open(stackEnv().DATABASE_URL)
    await using behind = open(proxy.url)
    const before = await select(behind, pid)
    proxy.rules = [{ action: timeout }]
    expect(isDatabaseUnavailable(await failureOf(behind.runUnscoped(pid)))).toBe(true)
    proxy.reset()
    expect(await select(behind, pid)).not.toBe(before)
  })
})

describe('a query', () => {
  it('fails with the error of a refused connection, not with the connect timeout', async () => {
    const url = new URL(stackEnv().DATABASE_URL)
    url.port = '1'
    await using nowhere = open(url.href)
    const error = await failureOf(nowhere.runUnscoped(pid))
    expect(isDatabaseUnavailable(error)).toBe(true)
    expect(error).toMatchObject({ code: 'ECONNREFUSED' })
  })

  it('waits five seconds while all connections are in use, and then fails', async () => {
    const db = database.forOrganization(newOrganizationId())
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    const holding = db.transaction(() => released)
    const start = performance.now()
    expect(isDatabaseUnavailable(await failureOf(database.runUnscoped(pid)))).toBe(true)
    expect((performance.now() - start) / 1000).toBeGreaterThan(4.5)
    release()
    await holding
    expect(await select(database, nap(0))).toBe(1)
  })
})

it('an error of the statement itself does not count as an unavailable database', async () => {
  for (const text of ['select 1 / 0 as value', 'select from nowhere', 'not even SQL']) {
    const error = await failureOf(database.runUnscoped(query(text)))
    expect(error).toBeInstanceOf(Error)
    expect(isDatabaseUnavailable(error), text).toBe(false)
  }
})

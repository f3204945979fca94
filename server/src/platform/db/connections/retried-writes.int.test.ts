/** The job engine repeats statements whose error has a cause that it takes for a lost connection. */
import { stackEnv } from '@reelkeep/testkit'
import type pg from 'pg'
import { beforeEach, expect, it } from 'vitest'
import { openPool } from './pool.ts'
import type { PrimaryClient } from './primary-client.ts'
import { repeatWrites } from './retried-writes.ts'

/** Error messages for which the engine repeats a statement. */
const lost = /^Connection timeout|^Connection terminated unexpectedly/

function open(more: pg.PoolConfig = {}): pg.Pool {
  const options = { url: stackEnv().DATABASE_SUPERUSER_URL, connectionsMax: 1, statementTimeoutSeconds: 1 }
  const opened = openPool(options, () => {}, more)
  opened.on('connect', (client) => repeatWrites(client as unknown as PrimaryClient))
  return opened
}

let pool: pg.Pool
beforeEach(() => {
  pool = open()
  return () => pool.end()
})

async function causeOf(work: Promise<unknown>): Promise<unknown> {
  const error = await work.then(
    () => undefined,
    (reason: Error) => reason,
  )
  if (!error) throw new Error('The statement did not fail.')
  return error.cause instanceof Error ? error.cause.message : error.cause
}

it('a write that Postgres cancels is repeated, a deletion is not', async () => {
  const client = await pool.connect()
  await client.query('create temporary table written (number integer)')
  expect(await causeOf(client.query('insert into written select 1 from pg_sleep(60)'))).toMatch(lost)
  await client.query('insert into written values (1)')
  expect(await causeOf(client.query('delete from written where pg_sleep(60) is not null'))).toBeUndefined()
  client.release()
})

it('a write with an error of its own is not repeated', async () => {
  expect(await causeOf(pool.query('insert into no_such_table values (1)'))).toBeUndefined()
})

it('a statement without a response in time is repeated on another connection', async () => {
  await using _ = { [Symbol.asyncDispose]: () => impatient.end() }
  const impatient = open({ query_timeout: 300, statement_timeout: 60_000 })
  const pid = async () => (await impatient.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]?.pid
  const before = await pid()
  expect(await causeOf(impatient.query('begin; select pg_sleep(60)'))).toMatch(lost)
  expect(await pid()).not.toBe(before)
})

import { createHash } from 'node:crypto'
import { stackEnv } from '@reelkeep/testkit'
import { beforeEach, describe, expect, it } from 'vitest'
import { Database } from './database.ts'
import type { Query } from './statement.ts'

/** One connection, so that the next query fails if a value broke the connection. */
let database: Database
beforeEach(() => {
  const { DATABASE_URL: url } = stackEnv()
  database = new Database({ url, connectionsMax: 1, statementTimeoutSeconds: 2 }, () => {})
  return () => database[Symbol.asyncDispose]()
})

const query = (text: string, ...values: unknown[]): Query<{ value: unknown }> => ({
  name: createHash('sha256').update(text).digest('hex').slice(0, 16),
  text,
  values: () => values,
})

const select = async (text: string, ...values: unknown[]) =>
  (await database.runUnscoped(query(text, ...values)))[0]?.value

const allBytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))

describe('a value is read back as it was sent', () => {
  it.each<[string, string, unknown]>([
    ['text', 'text', `it's "quoted" \\ and {braced}, ünïcödé 🎬`],
    ['empty text', 'text', ''],
    ['text that says NULL', 'text', 'NULL'],
    ['null text', 'text', null],
    ['a number', 'integer', -2_147_483_648],
    ['a fraction', 'double precision', 0.1],
    ['the largest count', 'bigint', Number.MAX_SAFE_INTEGER],
    ['the smallest count', 'bigint', Number.MIN_SAFE_INTEGER],
    ['true', 'boolean', true],
    ['false', 'boolean', false],
    ['every byte', 'bytea', allBytes],
    ['no bytes', 'bytea', Buffer.alloc(0)],
    ['a million bytes', 'bytea', Buffer.alloc(1_000_000, 7)],
    ['an empty list', 'text[]', []],
    ['texts', 'text[]', ['', 'NULL', 'a,b', '"', '\\', '{}', ' blank ', 'ü', '\n', `'`]],
    ['numbers', 'integer[]', [0, -1, 2_147_483_647]],
    ['a time', 'timestamptz', '2026-11-15T02:09:18.123456Z'],
    ['null bytes', 'bytea', null],
    ['a null list', 'text[]', null],
  ])('%s', async (_, type, value) => {
    const text = `select $1::${type} as value`
    // Runs the query twice: the first use describes the statement, the second uses the cached columns.
    expect(await select(text, value)).toEqual(value)
    expect(await select(text, value)).toEqual(value)
  })

  it('undefined is sent as null', async () => {
    expect(await select('select $1::text as value', undefined)).toBeNull()
  })
})

describe('a time read from Postgres', () => {
  it.each([
    ['keeps its microseconds', '2026-11-15 02:09:18.000001+00', '2026-11-15T02:09:18.000001Z'],
    ['has six decimals with a short fraction', '2026-11-15 02:09:18.5+00', '2026-11-15T02:09:18.500000Z'],
    ['has six decimals without a fraction', '2026-11-15 02:09:18+00', '2026-11-15T02:09:18.000000Z'],
    ['is converted to UTC', '2026-11-15 02:09:18.123456+05:30', '2026-11-14T20:39:18.123456Z'],
  ])('%s', async (_, stored, shown) => {
    expect(await select(`select timestamptz '${stored}' as value`)).toBe(shown)
  })

  it('is in UTC because every connection sets the time zone', async () => {
    expect(await select(`select current_setting('timezone') as value`)).toBe('UTC')
  })
})

describe('an unsupported value is rejected, and the connection stays usable', () => {
  const expectUsable = async () => expect(await select('select 1 as value')).toBe(1)

  it.each([
    ['a bigint beyond the safe integers', 'select 9007199254740993::bigint as value'],
    ['an infinite time', `select 'infinity'::timestamptz as value`],
    ['a time before Christ', `select timestamptz '0044-03-15 12:00+00 BC' as value`],
  ])('if Postgres returns %s', async (_, text) => {
    await expect(select(text)).rejects.toThrow(/not a safe integer|not UTC/)
    await expectUsable()
  })

  it.each<[string, unknown]>([
    ['a date, which has no microseconds', new Date()],
    ['an object', { a: 1 }],
    ['a big integer', 1n],
    ['a list with a null', ['a', null]],
  ])('if the caller sends %s', async (_, value) => {
    await expect(select('select $1::text as value', value)).rejects.toThrow(TypeError)
    await expectUsable()
  })
})

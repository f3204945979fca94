import { createHash } from 'node:crypto'
import { stackEnv } from '@reelkeep/testkit'
import { beforeEach, describe, expect, it } from 'vitest'
import { Database } from './database.ts'
import type { Query } from './statement.ts'

/** One connection: a value that broke it is noticed by the next query. */
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

const ask = async (text: string, ...values: unknown[]) =>
  (await database.ask(query(text, ...values)))[0]?.value

const allBytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))

describe('a value comes back as it was sent', () => {
  it.each<[string, string, unknown]>([
    ['text', 'text', `it's "quoted" \\ and {braced}, ünïcödé 🎬`],
    ['no text at all', 'text', ''],
    ['text that says NULL', 'text', 'NULL'],
    ['nothing', 'text', null],
    ['a number', 'integer', -2_147_483_648],
    ['a fraction', 'double precision', 0.1],
    ['the largest count', 'bigint', Number.MAX_SAFE_INTEGER],
    ['the smallest count', 'bigint', Number.MIN_SAFE_INTEGER],
    ['yes', 'boolean', true],
    ['no', 'boolean', false],
    ['every byte', 'bytea', allBytes],
    ['no byte', 'bytea', Buffer.alloc(0)],
    ['a million bytes', 'bytea', Buffer.alloc(1_000_000, 7)],
    ['an empty list', 'text[]', []],
    ['texts', 'text[]', ['', 'NULL', 'a,b', '"', '\\', '{}', ' blank ', 'ü', '\n', `'`]],
    ['numbers', 'integer[]', [0, -1, 2_147_483_647]],
    ['a time', 'timestamptz', '2026-11-15T02:09:18.123456Z'],
    ['nothing for bytes', 'bytea', null],
    ['nothing for a list', 'text[]', null],
  ])('%s', async (_, type, value) => {
    const text = `select $1::${type} as value`
    // Twice: described on its first use, remembered on its second.
    expect(await ask(text, value)).toEqual(value)
    expect(await ask(text, value)).toEqual(value)
  })

  it('undefined is sent as null', async () => {
    expect(await ask('select $1::text as value', undefined)).toBeNull()
  })
})

describe('a time', () => {
  it.each([
    ['keeps its microseconds', '2026-11-15 02:09:18.000001+00', '2026-11-15T02:09:18.000001Z'],
    ['has six decimals, always', '2026-11-15 02:09:18.5+00', '2026-11-15T02:09:18.500000Z'],
    ['also at the full second', '2026-11-15 02:09:18+00', '2026-11-15T02:09:18.000000Z'],
    ['is told in UTC', '2026-11-15 02:09:18.123456+05:30', '2026-11-14T20:39:18.123456Z'],
  ])('%s', async (_, stored, shown) => {
    expect(await ask(`select timestamptz '${stored}' as value`)).toBe(shown)
  })

  it('is told in UTC because every connection is set to it', async () => {
    expect(await ask(`select current_setting('timezone') as value`)).toBe('UTC')
  })
})

describe('what does not fit is refused, and the connection goes on', () => {
  const stillAnswers = async () => expect(await ask('select 1 as value')).toBe(1)

  it.each([
    ['a count beyond what a number holds', 'select 9007199254740993::bigint as value'],
    ['a time without end', `select 'infinity'::timestamptz as value`],
    ['a time before the calendar', `select timestamptz '0044-03-15 12:00+00 BC' as value`],
  ])('read: %s', async (_, text) => {
    await expect(ask(text)).rejects.toThrow(/does not fit|not UTC/)
    await stillAnswers()
  })

  it.each<[string, unknown]>([
    ['a date, which has no microseconds', new Date()],
    ['an object', { a: 1 }],
    ['a big integer', 1n],
    ['a list with a gap', ['a', null]],
  ])('sent: %s', async (_, value) => {
    await expect(ask('select $1::text as value', value)).rejects.toThrow(TypeError)
    await stillAnswers()
  })
})

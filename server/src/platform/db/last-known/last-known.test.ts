import pg from 'pg'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { OrganizationId } from '../../../kernel/ids.ts'
import type { Database, OrganizationDb } from '../database.ts'
import { ServerLost } from '../errors/availability.ts'
import { overloaded } from '../errors/overload.ts'
import type { Query } from '../statement.ts'
import { LastKnown } from './last-known.ts'

const SECONDS = 900
const acme = 'acme12' as OrganizationId
const unavailable = () => Promise.reject(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }))
const stateError = (code: string) => Object.assign(new pg.DatabaseError(code, 0, 'error'), { code })
const missing = () => Promise.resolve(undefined)
const loading = (value: object) => () => Promise.resolve(value)

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] })
  // The cache treats the time 0 as unknown.
  vi.advanceTimersByTime(1)
})
afterEach(() => void vi.useRealTimers())

const open = (seconds = SECONDS) => new LastKnown({} as Database, { seconds })

describe('the last known value', () => {
  it('is returned for 15 minutes after it was read while the database is unavailable', async () => {
    const known = open()
    await known.read(acme, 'a', loading({ is: 'a' }))
    vi.advanceTimersByTime(SECONDS * 1000)
    expect(await known.read(acme, 'a', unavailable)).toEqual({ value: { is: 'a' }, isStale: true })
    vi.advanceTimersByTime(1000)
    await expect(known.read(acme, 'a', unavailable)).rejects.toThrow('ECONNREFUSED')
  })

  const losses: Record<string, Error> = {
    'a refused connection': Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }),
    'a lost connection': new ServerLost('the server does not respond'),
    'a connect timeout': new Error('Connection terminated due to connection timeout'),
    'a server that shuts down': stateError('57P01'),
    'a server that starts': stateError('57P03'),
    'a read-only server': stateError('25006'),
  }
  it.each(Object.keys(losses))('is returned after %s', async (name) => {
    const known = open()
    await known.read(acme, 'a', loading({ is: 'a' }))
    expect((await known.read(acme, 'a', () => Promise.reject(losses[name]))).isStale).toBe(true)
    expect((await known.read(acme, 'a', loading({ is: 'b' }))).isStale).toBe(true)
  })

  const temporary: Record<string, Error> = {
    'too many waiting queries': overloaded(),
    'a full pool': new Error('timeout exceeded when trying to connect'),
    'a query that waited for slow ones': new Error('Query read timeout'),
    'a statement timeout': stateError('57014'),
    'a deadlock': stateError('40P01'),
    'a serialization failure': stateError('40001'),
    'too many connections': stateError('53300'),
  }
  it.each(Object.keys(temporary))('is not returned after %s, because the database responds', async (name) => {
    const known = open()
    await known.read(acme, 'a', loading({ is: 'a' }))
    await expect(known.read(acme, 'a', () => Promise.reject(temporary[name]))).rejects.toBe(temporary[name])
    expect(await known.read(acme, 'a', loading({ is: 'b' }))).toEqual({ value: { is: 'b' }, isStale: false })
  })

  it.each(Object.keys(temporary))('is returned after %s if the database was lost before', async (name) => {
    const known = open()
    await known.read(acme, 'a', loading({ is: 'a' }))
    await known.read(acme, 'a', unavailable)
    vi.advanceTimersByTime(2000)
    expect((await known.read(acme, 'a', () => Promise.reject(temporary[name]))).isStale).toBe(true)
  })

  it('is replaced when the database is back', async () => {
    const known = open()
    await known.read(acme, 'a', loading({ is: 'a' }))
    await known.read(acme, 'a', unavailable)
    vi.advanceTimersByTime(3000)
    expect(await known.read(acme, 'a', loading({ is: 'b' }))).toEqual({ value: { is: 'b' }, isStale: false })
  })

  it('is returned without a query to all requests but one every two seconds', async () => {
    const known = open()
    await known.read(acme, 'a', loading({ is: 'a' }))
    await known.read(acme, 'a', unavailable)
    expect((await known.read(acme, 'a', loading({ is: 'b' }))).isStale).toBe(true)
    vi.advanceTimersByTime(2000)
    const check = Promise.withResolvers<object>()
    const checking = known.read(acme, 'a', () => check.promise)
    expect((await known.read(acme, 'a', loading({ is: 'b' }))).isStale).toBe(true)
    check.resolve({ is: 'b' })
    expect((await checking).isStale).toBe(false)
    expect((await known.read(acme, 'a', loading({ is: 'c' }))).isStale).toBe(false)
  })

  it('is not returned for an error that the database did not cause', async () => {
    const known = open()
    await known.read(acme, 'a', loading({ is: 'a' }))
    await expect(known.read(acme, 'a', () => Promise.reject(new Error('a bug')))).rejects.toThrow('a bug')
  })

  it('is not returned after an eviction, even if it was being read at that time', async () => {
    const known = open()
    await known.read(acme, 'a', loading({ is: 'a' }))
    const outdated = Promise.withResolvers<object>()
    const reading = known.read(acme, 'b', () => outdated.promise)
    known.evict(acme)
    outdated.resolve({ is: 'b' })
    await reading
    for (const name of ['a', 'b']) await expect(known.read(acme, name, unavailable)).rejects.toThrow('ECONNREFUSED')
  })

  it('of other organizations stays after an eviction', async () => {
    const known = open()
    const other = 'acme1234' as OrganizationId
    await known.read(other, 'a', loading({ is: 'a' }))
    known.evict(acme)
    expect((await known.read(other, 'a', unavailable)).isStale).toBe(true)
  })

  it('of other organizations is kept if it was being read during an eviction', async () => {
    const known = open()
    const other = 'other1' as OrganizationId
    await known.read(other, 'a', loading({ is: 'old' }))
    const result = Promise.withResolvers<object>()
    const reading = known.read(other, 'a', () => result.promise)
    known.evict(acme)
    result.resolve({ is: 'new' })
    await reading
    expect(await known.read(other, 'a', unavailable)).toEqual({ value: { is: 'new' }, isStale: true })
  })

  it('is removed when the database no longer has it', async () => {
    const known = open()
    await known.read(acme, 'a', loading({ is: 'a' }))
    expect(await known.read(acme, 'a', missing)).toEqual({ value: undefined, isStale: false })
    await expect(known.read(acme, 'a', unavailable)).rejects.toThrow('ECONNREFUSED')
  })

  it('is not evicted by reads of what does not exist', async () => {
    const known = open()
    await known.read(acme, 'a', loading({ is: 'a' }))
    for (let number = 0; number < 60_000; number++) {
      await known.read(`invented-${number}` as OrganizationId, 'a', missing)
    }
    expect((await known.read(acme, 'a', unavailable)).isStale).toBe(true)
  })

  it('is not evicted by reads of another organization', async () => {
    const known = open()
    await known.read(acme, 'a', loading({ is: 'a' }))
    const other = 'other1' as OrganizationId
    for (let number = 0; number < 60_000; number++) await known.read(other, `${number}`, loading({ number }))
    expect((await known.read(acme, 'a', unavailable)).isStale).toBe(true)
    expect((await known.read(other, '59999', unavailable)).isStale).toBe(true)
    await expect(known.read(other, '0', unavailable)).rejects.toThrow('ECONNREFUSED')
  })

  it('is not kept if the time is 0', async () => {
    const known = open(0)
    await known.read(acme, 'a', loading({ is: 'a' }))
    await expect(known.read(acme, 'a', unavailable)).rejects.toThrow('ECONNREFUSED')
  })
})

describe('a handle', () => {
  const query = (more: Partial<Query<object>> = {}): Query<object> => ({
    ...{ name: 'one', text: '', values: (organizationId) => [organizationId, 1] },
    ...more,
  })
  let isAvailable: boolean
  let reads: number
  const handleOf = (organizationId: OrganizationId) => {
    const run = () => (isAvailable ? Promise.resolve([[{ row: ++reads }]]) : unavailable())
    return { organizationId, run } as unknown as OrganizationDb
  }
  const database = { forRequest: handleOf } as unknown as Database
  let lastKnown: LastKnown
  beforeEach(() => {
    isAvailable = true
    reads = 0
    lastKnown = new LastKnown(database, { seconds: SECONDS })
  })

  it('returns the last rows of the same statement with the same values', async () => {
    const db = lastKnown.forRequest(acme)
    expect(await db.run(query())).toEqual([[{ row: 1 }]])
    isAvailable = false
    expect(await db.run(query())).toEqual([[{ row: 1 }]])
    await expect(db.run(query({ values: () => [acme, 2] }))).rejects.toThrow('ECONNREFUSED')
  })

  it.each(['writes', 'notifies', 'needsDedicatedConnection'])('keeps no rows of a statement that %s', async (flag) => {
    const db = lastKnown.forRequest(acme)
    await db.run(query({ [flag]: true }))
    isAvailable = false
    await expect(db.run(query({ [flag]: true }))).rejects.toThrow('ECONNREFUSED')
  })
})

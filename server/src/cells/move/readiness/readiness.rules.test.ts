import { describe, expect, it } from 'vitest'
import { type Endpoints, findProblems } from './readiness.rules.ts'

const state = {
  isSuperuser: true,
  walLevel: 'logical',
  freeSlots: 4,
  migrations: ['0001', '0002'],
  epochSeconds: 1000,
}
const ready: Endpoints = {
  source: { name: 'a', state },
  destination: { name: 'b', state, keyEncryptionKeys: ['2025', '2026'] },
  keysInUse: ['2026'],
}

const withSource = (change: object): Endpoints => ({
  ...ready,
  source: { name: 'a', state: { ...state, ...change } },
})

describe('an organization', () => {
  it('can be migrated if every check passes and the clocks differ by at most one second', () => {
    expect(findProblems(ready)).toEqual([])
    expect(findProblems(withSource({ epochSeconds: 1001 }))).toEqual([])
  })

  it.each([
    [{ isSuperuser: false }, 'cell a does not use a superuser'],
    [{ walLevel: 'replica' }, 'Set wal_level=logical there'],
    [{ freeSlots: 3 }, 'Raise max_replication_slots'],
    [{ migrations: ['0001', '0002', '0003'] }, 'Cell b lacks migrations 0003'],
    [{ migrations: ['0001'] }, 'Cell a lacks migrations 0002'],
    [{ epochSeconds: 1001.5 }, '1.5 s apart'],
    [{ epochSeconds: 998.5 }, '1.5 s apart'],
  ])('cannot be migrated if the state of the source database is %j', (change, message) => {
    const problems = findProblems(withSource(change))
    expect(problems).toHaveLength(1)
    expect(problems[0]).toContain(message)
  })

  it('cannot be migrated if the destination lacks a key that wraps its secrets', () => {
    const [problem] = findProblems({ ...ready, keysInUse: ['2024', '2026'] })
    expect(problem).toContain('wrapped with 2024')
  })

  it('is refused migration with one message per problem', () => {
    expect(findProblems(withSource({ walLevel: 'replica', freeSlots: 0 }))).toHaveLength(2)
  })
})

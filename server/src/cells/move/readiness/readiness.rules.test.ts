import { describe, expect, it } from 'vitest'
import { type Ends, faultsOf } from './readiness.rules.ts'

const standing = {
  isSuperuser: true,
  walLevel: 'logical',
  freeSlots: 4,
  migrations: ['0001', '0002'],
  epochSeconds: 1000,
}
const ready: Ends = {
  source: { name: 'a', standing },
  destination: { name: 'b', standing, keyEncryptionKeys: ['2025', '2026'] },
  keysInUse: ['2026'],
}

const withSource = (change: object): Ends => ({
  ...ready,
  source: { name: 'a', standing: { ...standing, ...change } },
})

describe('an organization', () => {
  it('can be moved when nothing stands against it, up to each limit', () => {
    expect(faultsOf(ready)).toEqual([])
    expect(faultsOf(withSource({ epochSeconds: 1001 }))).toEqual([])
  })

  it.each([
    [{ isSuperuser: false }, 'cell a names no superuser'],
    [{ walLevel: 'replica' }, 'Set wal_level=logical there'],
    [{ freeSlots: 3 }, 'Raise max_replication_slots'],
    [{ migrations: ['0001', '0002', '0003'] }, 'Cell b lacks migrations 0003'],
    [{ migrations: ['0001'] }, 'Cell a lacks migrations 0002'],
    [{ epochSeconds: 1001.5 }, '1.5 s apart'],
    [{ epochSeconds: 998.5 }, '1.5 s apart'],
  ])('cannot with %j, and the sentence tells the cure', (change, words) => {
    const faults = faultsOf(withSource(change))
    expect(faults).toHaveLength(1)
    expect(faults[0]).toContain(words)
  })

  it('cannot when its secrets could not be opened where it goes', () => {
    const [fault] = faultsOf({ ...ready, keysInUse: ['2024', '2026'] })
    expect(fault).toContain('kept under 2024')
  })

  it('is told everything at once', () => {
    expect(faultsOf(withSource({ walLevel: 'replica', freeSlots: 0 }))).toHaveLength(2)
  })
})

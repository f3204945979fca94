import { describe, expect, it } from 'vitest'
import { judgeClock } from './judge-clock.ts'

describe('a clock', () => {
  it.each([
    [0, 'fine'],
    [60, 'fine'],
    [-60, 'fine'],
    [61, 'warning'],
    [-300, 'warning'],
    [301, 'fault'],
    [-86_400, 'fault'],
  ])('that is %d seconds ahead is a matter of: %s', (ahead, state) => {
    expect(judgeClock('storage', ahead).state).toBe(state)
  })

  it('says which way it is off', () => {
    expect(judgeClock('Postgres', 400).detail).toContain('400 seconds ahead of ours')
    expect(judgeClock('Postgres', -400).detail).toContain('400 seconds behind ours')
  })
})

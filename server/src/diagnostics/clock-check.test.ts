import { describe, expect, it } from 'vitest'
import { checkClock } from './clock-check.ts'

describe('checkClock', () => {
  it.each([
    [0, 'fine'],
    [60, 'fine'],
    [-60, 'fine'],
    [61, 'warning'],
    [-300, 'warning'],
    [301, 'fault'],
    [-86_400, 'fault'],
  ])('with an offset of %d seconds reports the state %s', (ahead, state) => {
    expect(checkClock('storage', ahead).state).toBe(state)
  })

  it('states whether the clock is ahead or behind', () => {
    expect(checkClock('Postgres', 400).detail).toContain('400 seconds ahead of ours')
    expect(checkClock('Postgres', -400).detail).toContain('400 seconds behind ours')
  })
})

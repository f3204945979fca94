import { describe, expect, it } from 'vitest'
import { checkClock } from './clock-check.ts'

describe('checkClock', () => {
  it.each([
    [0, 'ok'],
    [60, 'ok'],
    [-60, 'ok'],
    [61, 'warning'],
    [-300, 'warning'],
    [301, 'failed'],
    [-86_400, 'failed'],
  ])('returns, for an offset of %d seconds, the status %s', (ahead, status) => {
    expect(checkClock('storage', ahead).status).toBe(status)
  })

  it('states whether the clock is ahead or behind', () => {
    expect(checkClock('Postgres', 400).detail).toContain('400 seconds ahead of this machine')
    expect(checkClock('Postgres', -400).detail).toContain('400 seconds behind this machine')
  })
})

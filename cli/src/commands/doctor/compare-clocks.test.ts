import { describe, expect, it } from 'vitest'
import { compareOwnClock, compareStorageClock } from './compare-clocks.ts'

describe('the clock of this machine', () => {
  it.each([
    [60, 'ok'],
    [-60, 'ok'],
    [61, 'warning'],
    [-300, 'warning'],
    [301, 'failed'],
    [-301, 'failed'],
  ])('is %d seconds behind the clocks of the API and storage, and the result is %s', (ahead, status) => {
    expect(compareOwnClock(ahead, ahead).status).toBe(status)
  })

  it('is wrong if the API and storage agree', () => {
    const { name, detail } = compareOwnClock(-600, -601)
    expect(name).toBeUndefined()
    expect(detail).toContain('this machine is 600 seconds ahead of those of the API and storage')
  })

  it('is right if storage agrees with it, and the clock of the API is wrong', () => {
    const { name, status, detail } = compareOwnClock(600, 1)
    expect({ name, status }).toEqual({ name: 'api-clock', status: 'failed' })
    expect(detail).toContain('the API is 600 seconds ahead of those of this machine and storage')
    expect(compareStorageClock(600, 1).status).toBe('ok')
  })

  it.each([
    ['is not known', undefined],
    ['agrees with neither', -600],
  ])('is not reported as wrong if the clock of storage %s', (_, storageAhead) => {
    const { name, status, detail } = compareOwnClock(600, storageAhead)
    expect({ name, status }).toEqual({ name: undefined, status: 'failed' })
    expect(detail).toBe('The clocks of this machine and the API are 600 seconds apart.')
  })
})

describe('the clock of storage', () => {
  it('is wrong if this machine and the API agree', () => {
    expect(compareStorageClock(0, 400)).toMatchObject({
      status: 'failed',
      detail: 'The clock of storage is 400 seconds ahead of the API’s.',
    })
    expect(compareStorageClock(0, -100).status).toBe('warning')
  })

  it('is right if it agrees with the API and not with this machine', () => {
    expect(compareStorageClock(600, 610).status).toBe('ok')
  })
})

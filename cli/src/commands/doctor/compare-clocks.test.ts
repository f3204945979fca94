import { describe, expect, it } from 'vitest'
import { compareOwnClock, compareStorageClock } from './compare-clocks.ts'

describe('the clock of this machine', () => {
  it.each([
    [60, 'fine'],
    [-60, 'fine'],
    [61, 'warning'],
    [-300, 'warning'],
    [301, 'fault'],
    [-301, 'fault'],
  ])('with the API and storage %d seconds ahead is: %s', (ahead, state) => {
    expect(compareOwnClock(ahead, ahead).state).toBe(state)
  })

  it('is wrong if the API and storage agree', () => {
    const { name, detail } = compareOwnClock(-600, -601)
    expect(name).toBeUndefined()
    expect(detail).toContain('this machine is 600 seconds ahead of those of the API and storage')
  })

  it('is right if storage agrees with it; the clock of the API is wrong', () => {
    const { name, state, detail } = compareOwnClock(600, 1)
    expect({ name, state }).toEqual({ name: 'api-clock', state: 'fault' })
    expect(detail).toContain('the API is 600 seconds ahead of those of this machine and storage')
    expect(compareStorageClock(600, 1).state).toBe('fine')
  })

  it.each([
    ['is not known', undefined],
    ['agrees with neither', -600],
  ])('is not blamed if the clock of storage %s', (_, storageAhead) => {
    const { name, state, detail } = compareOwnClock(600, storageAhead)
    expect({ name, state }).toEqual({ name: undefined, state: 'fault' })
    expect(detail).toBe('The clocks of this machine and the API are 600 seconds apart.')
  })
})

describe('the clock of storage', () => {
  it('is wrong if this machine and the API agree', () => {
    expect(compareStorageClock(0, 400)).toMatchObject({
      state: 'fault',
      detail: 'The clock of storage is 400 seconds ahead of the API’s.',
    })
    expect(compareStorageClock(0, -100).state).toBe('warning')
  })

  it('is right if it agrees with the API and not with this machine', () => {
    expect(compareStorageClock(600, 610).state).toBe('fine')
  })
})

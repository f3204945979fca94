import { describe, expect, it } from 'vitest'
import { judgeOwnClock, judgeStorageClock } from './judge-clocks.ts'

describe('the clock of this machine', () => {
  it.each([
    [60, 'fine'],
    [-60, 'fine'],
    [61, 'warning'],
    [-300, 'warning'],
    [301, 'fault'],
    [-301, 'fault'],
  ])('where the API and storage are %d seconds ahead is a matter of: %s', (ahead, state) => {
    expect(judgeOwnClock(ahead, ahead).state).toBe(state)
  })

  it('is wrong if the API and storage agree', () => {
    const { name, detail } = judgeOwnClock(-600, -601)
    expect(name).toBeUndefined()
    expect(detail).toContain('this machine is 600 seconds ahead of those of the API and storage')
  })

  it('is right if storage agrees with it: the API’s is wrong', () => {
    const { name, state, detail } = judgeOwnClock(600, 1)
    expect({ name, state }).toEqual({ name: 'api-clock', state: 'fault' })
    expect(detail).toContain('the API is 600 seconds ahead of those of this machine and storage')
    expect(judgeStorageClock(600, 1).state).toBe('fine')
  })

  it.each([
    ['is not known', undefined],
    ['agrees with neither', -600],
  ])('is not blamed if storage’s %s', (_, storageAhead) => {
    const { name, state, detail } = judgeOwnClock(600, storageAhead)
    expect({ name, state }).toEqual({ name: undefined, state: 'fault' })
    expect(detail).toBe('The clocks of this machine and the API are 600 seconds apart.')
  })
})

describe('the clock of storage', () => {
  it('is wrong if this machine and the API agree', () => {
    expect(judgeStorageClock(0, 400)).toMatchObject({
      state: 'fault',
      detail: 'The clock of storage is 400 seconds ahead of the API’s.',
    })
    expect(judgeStorageClock(0, -100).state).toBe('warning')
  })

  it('is right if it agrees with the API and not with this machine', () => {
    expect(judgeStorageClock(600, 610).state).toBe('fine')
  })
})

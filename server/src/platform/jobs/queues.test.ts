import { describe, expect, it } from 'vitest'
import { pollingSeconds } from './queues.ts'

describe('the polling interval of a queue', () => {
  it.each([
    [{ workers: 0, organizations: 0 }, 0.25],
    [{ workers: 6, organizations: 20 }, 0.25],
    [{ workers: 100, organizations: 100 }, 1],
    [{ workers: 1000, organizations: 50 }, 5],
    [{ workers: 5000, organizations: 10_000 }, 10],
  ])('with %o is %d seconds', (size, seconds) => {
    expect(pollingSeconds(size, 0.25)).toBeCloseTo(seconds)
  })
})

import { describe, expect, it } from 'vitest'
import { defineJob, pauseSecondsAfter } from './job.ts'

const job = defineJob<null>({
  name: 'some',
  queue: 'light',
  attemptsMax: 12,
  firstPauseSeconds: 5,
  attemptSecondsMax: 60,
})

describe('the delay after an attempt', () => {
  it.each([
    [1, 5],
    [2, 10],
    [10, 2560],
    [11, 3600],
    [5000, 3600],
  ])('%d is %d seconds', (attempt, seconds) => {
    expect(pauseSecondsAfter(attempt, job)).toBe(seconds)
  })
})

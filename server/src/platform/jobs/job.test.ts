import { describe, expect, it } from 'vitest'
import { backoffSeconds } from './job.ts'

const policy = { maxAttempts: 12, firstBackoffSeconds: 5, attemptTimeoutSeconds: 60 }

describe('the retry delay of a job', () => {
  it.each([
    [1, 5],
    [2, 10],
    [10, 2560],
    [11, 3600],
    [5000, 3600],
  ])('after attempt %d is %d seconds', (attempt, seconds) => {
    expect(backoffSeconds(attempt, policy)).toBe(seconds)
  })
})

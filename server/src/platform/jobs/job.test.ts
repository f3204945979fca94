import { describe, expect, it } from 'vitest'
import { backoffSeconds, retryDelaySeconds } from './job.ts'

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

  it('has up to 20 % more, which differ between jobs and are the same for each run of an attempt', () => {
    const delays = Array.from({ length: 1000 }, (_, index) => retryDelaySeconds(`job-${index}`, 3, policy))
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(20)
    expect(Math.max(...delays)).toBeLessThanOrEqual(24)
    expect(new Set(delays).size).toBeGreaterThan(30)
    expect(retryDelaySeconds('job-1', 3, policy)).toBe(delays[1])
  })
})

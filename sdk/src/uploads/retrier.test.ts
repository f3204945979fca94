import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ConnectionError, RateLimitError } from '../http/errors.ts'
import { toStorageError } from './errors.ts'
import { newRetrier } from './retrier.ts'

const unavailable = () => Promise.reject(new ConnectionError('unavailable'))
const busyFor = (seconds: number) =>
  new RateLimitError(
    {
      type: 'about:blank',
      title: 'Too many requests',
      status: 429,
      detail: 'Later.',
      code: 'rate_limited',
      errors: [],
      request_id: 'request-1',
    },
    seconds,
  )
const { signal } = new AbortController()

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** Returns the seconds until `work` fails permanently. */
async function secondsUntilGivenUp(work: Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  const failing = expect(work).rejects.toThrow()
  await vi.runAllTimersAsync()
  await failing
  return (performance.now() - startedAt) / 1000
}

describe('the retry limit', () => {
  it('is one minute if the server was never reached, and ten minutes otherwise', async () => {
    const retrier = newRetrier({ signal })
    const first = await secondsUntilGivenUp(retrier.run(unavailable))
    expect(first).toBeGreaterThan(60)
    expect(first).toBeLessThan(70)
    retrier.progressed()
    const later = await secondsUntilGivenUp(retrier.run(unavailable))
    expect(later).toBeGreaterThan(600)
    expect(later).toBeLessThan(610)
  })

  it('is the default if the given value is NaN', async () => {
    const seconds = await secondsUntilGivenUp(newRetrier({ signal, retryForSeconds: Number.NaN }).run(unavailable))
    expect(seconds).toBeGreaterThan(60)
    expect(seconds).toBeLessThan(70)
  })

  it('restarts whenever there is progress', async () => {
    const retrier = newRetrier({ signal, retryForSeconds: 100 })
    retrier.progressed()
    const failing = retrier.run(unavailable)
    setTimeout(retrier.progressed, 90_000)
    const seconds = await secondsUntilGivenUp(failing)
    expect(seconds).toBeGreaterThan(190)
    expect(seconds).toBeLessThan(200)
  })

  it('does not include time in which nothing was attempted', async () => {
    const retrier = newRetrier({ signal, retryForSeconds: 100 })
    retrier.progressed()
    await vi.advanceTimersByTimeAsync(3_600_000)
    const seconds = await secondsUntilGivenUp(retrier.run(unavailable))
    expect(seconds).toBeGreaterThan(100)
    expect(seconds).toBeLessThan(110)
  })

  it('is extended by Retry-After, unless that is longer than the limit', async () => {
    const reported: number[] = []
    const retrier = newRetrier({ signal, onPause: ({ seconds }) => reported.push(seconds) })
    let tries = 0
    const work = retrier.run(async () => {
      if (++tries === 1) throw busyFor(90)
      return 'done'
    })
    await vi.runAllTimersAsync()
    expect(await work).toBe('done')
    expect(reported).toEqual([90])
    expect(await secondsUntilGivenUp(retrier.run(() => Promise.reject(busyFor(601))))).toBe(0)
  })

  it('does not apply to a refused request, which is retried twice if that may help, otherwise not at all', async () => {
    const tries = async (status: number, code: string) => {
      const work = vi.fn(() => Promise.reject(toStorageError({ status, text: `<Code>${code}</Code>` })))
      await secondsUntilGivenUp(newRetrier({ signal }).run(work))
      return work.mock.calls.length
    }
    expect(await tries(403, 'AccessDenied')).toBe(3)
    expect(await tries(403, 'SignatureDoesNotMatch')).toBe(1)
    expect(await tries(503, 'SlowDown')).toBeGreaterThan(5)
    expect(await tries(400, 'RequestTimeout')).toBeGreaterThan(5)
    expect(await tries(501, 'NotImplemented')).toBe(1)
    // Proxies respond with 520, 522 or 524 if they cannot reach storage.
    for (const status of [520, 522, 524]) expect(await tries(status, '')).toBeGreaterThan(5)
  })
})

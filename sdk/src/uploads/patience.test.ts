import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ConnectionError, RateLimitError } from '../http/errors.ts'
import { toStorageError } from './errors.ts'
import { openLine } from './patience.ts'

const away = () => Promise.reject(new ConnectionError('away'))
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

/** How long it takes until the work is given up. */
async function secondsUntilGivenUp(work: Promise<unknown>): Promise<number> {
  const beganAt = performance.now()
  const failing = expect(work).rejects.toThrow()
  await vi.runAllTimersAsync()
  await failing
  return (performance.now() - beganAt) / 1000
}

describe('the patience of a line', () => {
  it('is a minute for what was never reached, and ten for what was', async () => {
    const line = openLine({ signal })
    const first = await secondsUntilGivenUp(line.through(away))
    expect(first).toBeGreaterThan(60)
    expect(first).toBeLessThan(70)
    line.alive()
    const later = await secondsUntilGivenUp(line.through(away))
    expect(later).toBeGreaterThan(600)
    expect(later).toBeLessThan(610)
  })

  it('is as if nothing was said, if what was said is no number', async () => {
    const seconds = await secondsUntilGivenUp(
      openLine({ signal, patienceSeconds: Number.NaN }).through(away),
    )
    expect(seconds).toBeGreaterThan(60)
    expect(seconds).toBeLessThan(70)
  })

  it('begins anew with anything that gets through', async () => {
    const line = openLine({ signal, patienceSeconds: 100 })
    line.alive()
    const failing = line.through(away)
    setTimeout(line.alive, 90_000)
    const seconds = await secondsUntilGivenUp(failing)
    expect(seconds).toBeGreaterThan(190)
    expect(seconds).toBeLessThan(200)
  })

  it('is whole for a line that was merely not used for long', async () => {
    const line = openLine({ signal, patienceSeconds: 100 })
    line.alive()
    await vi.advanceTimersByTimeAsync(3_600_000)
    const seconds = await secondsUntilGivenUp(line.through(away))
    expect(seconds).toBeGreaterThan(100)
    expect(seconds).toBeLessThan(110)
  })

  it('is as long as the service asks for, and ends when it asks for longer than is left', async () => {
    const told: number[] = []
    const line = openLine({ signal, onPause: ({ seconds }) => told.push(seconds) })
    let tries = 0
    const work = line.through(async () => {
      if (++tries === 1) throw busyFor(90)
      return 'done'
    })
    await vi.runAllTimersAsync()
    expect(await work).toBe('done')
    expect(told).toEqual([90])
    expect(await secondsUntilGivenUp(line.through(() => Promise.reject(busyFor(601))))).toBe(0)
  })

  it('is for lines; a refusal is tried again twice if it may pass, and else not at all', async () => {
    const tries = async (status: number, code: string) => {
      const work = vi.fn(() =>
        Promise.reject(toStorageError({ status, text: `<Code>${code}</Code>` })),
      )
      await secondsUntilGivenUp(openLine({ signal }).through(work))
      return work.mock.calls.length
    }
    expect(await tries(403, 'AccessDenied')).toBe(3)
    expect(await tries(403, 'SignatureDoesNotMatch')).toBe(1)
    expect(await tries(503, 'SlowDown')).toBeGreaterThan(5)
    expect(await tries(400, 'RequestTimeout')).toBeGreaterThan(5)
    expect(await tries(501, 'NotImplemented')).toBe(1)
    // Of what stands in front of storage, when that cannot be reached or is late.
    for (const status of [520, 522, 524]) expect(await tries(status, '')).toBeGreaterThan(5)
  })
})

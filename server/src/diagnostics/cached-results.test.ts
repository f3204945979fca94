import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { cacheResults } from './cached-results.ts'
import { ok } from './checks.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

it('cacheResults runs the checks once for all calls during a run and in the ten seconds after it', async () => {
  let runs = 0
  const run = async () => {
    runs++
    await new Promise((resolve) => setTimeout(resolve, 5000))
    return ok(`Run ${runs}.`)
  }
  const results = cacheResults([{ name: 'sandbox', run }])
  const calls = [results(), results()]
  await vi.advanceTimersByTimeAsync(5000)
  await vi.advanceTimersByTimeAsync(9900)
  calls.push(results())
  const details = (await Promise.all(calls)).flat().map(({ detail }) => detail)
  expect(details).toEqual(['Run 1.', 'Run 1.', 'Run 1.'])
  await vi.advanceTimersByTimeAsync(200)
  const later = results()
  await vi.advanceTimersByTimeAsync(5000)
  expect(await later).toMatchObject([{ detail: 'Run 2.' }])
})

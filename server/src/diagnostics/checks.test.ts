import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Check, failed, ok, runChecks } from './checks.ts'

/** Never settles, like storage that accepts a connection and does not answer. */
const hanging = (name: string, needs?: string): Check & { wasAborted: () => boolean } => {
  let received: AbortSignal | undefined
  return {
    ...{ name, ...(needs === undefined ? {} : { needs }) },
    run: (signal) => {
      received = signal
      return new Promise(() => {})
    },
    wasAborted: () => received?.aborted === true,
  }
}

const slow = (name: string, needs?: string): Check => ({
  ...{ name, ...(needs === undefined ? {} : { needs }) },
  run: () => new Promise((resolve) => setTimeout(() => resolve(ok('Done.')), 7900)),
})

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

describe('runChecks', () => {
  it('times out hanging checks concurrently and aborts them', async () => {
    const checks = Array.from({ length: 13 }, (_, number) => hanging(`check-${number}`))
    const run = runChecks(checks)
    await vi.advanceTimersByTimeAsync(8000)
    const results = await run
    expect(results.map(({ name }) => name)).toEqual(checks.map(({ name }) => name))
    expect(new Set(results.map(({ detail }) => detail))).toEqual(
      new Set(['No answer within 8 seconds.']),
    )
    expect(checks.every(({ wasAborted }) => wasAborted())).toBe(true)
  })

  it('ends within the total limit although each check waits for the one before it', async () => {
    const run = runChecks([
      ...[slow('one'), slow('two', 'one'), slow('three', 'two')],
      ...[hanging('four', 'three'), slow('five', 'four')],
    ])
    await vi.advanceTimersByTimeAsync(25_000)
    const states = (await run).map(({ state }) => state)
    expect(states).toEqual(['fine', 'fine', 'fine', 'fault', 'skipped'])
  })

  it('skips a check whose prerequisite failed, and names the prerequisite', async () => {
    const results = await runChecks([
      { name: 'storage', run: async () => failed('Unreachable.', 'Start it.') },
      { name: 'bucket', needs: 'storage', run: async () => ok('Exists.') },
      { name: 'database', run: () => Promise.reject(new Error('odd')) },
    ])
    expect(results).toMatchObject([
      { name: 'storage', state: 'fault' },
      { name: 'bucket', state: 'skipped', detail: 'Skipped because of storage.' },
      { name: 'database', state: 'fault', detail: 'Error: odd' },
    ])
  })
})

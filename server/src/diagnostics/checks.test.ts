import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Check, CheckFailure, failed, ok, renderResult, runChecks } from './checks.ts'

/** A check that never settles, like storage that accepts a connection and does not respond. */
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
    expect(new Set(results.map(({ detail }) => detail))).toEqual(new Set(['No response within 8 seconds.']))
    expect(checks.every(({ wasAborted }) => wasAborted())).toBe(true)
  })

  it('ends within the total limit although each check waits for the one before it', async () => {
    const run = runChecks([
      ...[slow('one'), slow('two', 'one'), slow('three', 'two')],
      ...[hanging('four', 'three'), slow('five', 'four')],
    ])
    await vi.advanceTimersByTimeAsync(25_000)
    const statuses = (await run).map(({ status }) => status)
    expect(statuses).toEqual(['ok', 'ok', 'ok', 'failed', 'skipped'])
  })

  it('skips every check that depends on a failed one, and names the failed one', async () => {
    const results = await runChecks([
      { name: 'storage', run: async () => failed('Unreachable.', 'Start it.') },
      { name: 'bucket', needs: 'storage', run: async () => ok('Exists.') },
      { name: 'versions', needs: 'bucket', run: async () => ok('Enabled.') },
      { name: 'database', run: () => Promise.reject(new Error('odd')) },
    ])
    expect(results).toMatchObject([
      { name: 'storage', status: 'failed' },
      { name: 'bucket', status: 'skipped', detail: 'Not checked, because storage failed.' },
      { name: 'versions', status: 'skipped', detail: 'Not checked, because storage failed.' },
      { name: 'database', status: 'failed', detail: 'Error: odd' },
    ])
  })

  it('runs sequential checks one at a time and reports each result', async () => {
    const order: string[] = []
    const checks = ['one', 'two'].map((name) => ({
      name,
      run: async () => {
        order.push(`start ${name}`)
        await Promise.resolve()
        return ok('Done.')
      },
    }))
    const onResult = ({ name }: { name: string }) => void order.push(`end ${name}`)
    await runChecks(checks, { order: 'sequential', onResult })
    expect(order).toEqual(['start one', 'end one', 'start two', 'end two'])
  })

  it('reports an exception with the hint and the failure status of the check', async () => {
    const results = await runChecks([
      {
        ...{ name: 'cors', hint: 'Set a rule.', failureStatus: 'warning' },
        run: () => Promise.reject(new CheckFailure('Refused.')),
      },
    ])
    expect(results).toEqual([{ name: 'cors', status: 'warning', detail: 'Refused.', hint: 'Set a rule.' }])
    expect(results.map(renderResult)).toEqual(['! cors  Refused.\n    → Set a rule.'])
  })
})

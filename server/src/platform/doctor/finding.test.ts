import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Examination, examine, fault, fine } from './finding.ts'

/** Like storage that takes a connection and never says anything. */
const hanging = (name: string, needs?: string): Examination & { wasBrokenOff: () => boolean } => {
  let heard: AbortSignal | undefined
  return {
    ...{ name, ...(needs === undefined ? {} : { needs }) },
    look: (signal) => {
      heard = signal
      return new Promise(() => {})
    },
    wasBrokenOff: () => heard?.aborted === true,
  }
}

const slow = (name: string, needs?: string): Examination => ({
  ...{ name, ...(needs === undefined ? {} : { needs }) },
  look: () => new Promise((resolve) => setTimeout(() => resolve(fine('At last.')), 7900)),
})

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

describe('an examination', () => {
  it('of what hangs ends when one look does, and leaves none behind', async () => {
    const looks = Array.from({ length: 13 }, (_, number) => hanging(`look-${number}`))
    const examined = examine(looks)
    await vi.advanceTimersByTimeAsync(8000)
    const findings = await examined
    expect(findings.map(({ name }) => name)).toEqual(looks.map(({ name }) => name))
    expect(new Set(findings.map(({ detail }) => detail))).toEqual(
      new Set(['There was no answer within 8 seconds.']),
    )
    expect(looks.every(({ wasBrokenOff }) => wasBrokenOff())).toBe(true)
  })

  it('ends in time although each look waits for the one before it', async () => {
    const examined = examine([
      ...[slow('one'), slow('two', 'one'), slow('three', 'two')],
      ...[hanging('four', 'three'), slow('five', 'four')],
    ])
    await vi.advanceTimersByTimeAsync(25_000)
    const states = (await examined).map(({ state }) => state)
    expect(states).toEqual(['fine', 'fine', 'fine', 'fault', 'skipped'])
  })

  it('does not look at what a fault stands in the way of, and names the fault', async () => {
    const findings = await examine([
      { name: 'storage', look: async () => fault('Away.', 'Start it.') },
      { name: 'bucket', needs: 'storage', look: async () => fine('There.') },
      { name: 'database', look: () => Promise.reject(new Error('odd')) },
    ])
    expect(findings).toMatchObject([
      { name: 'storage', state: 'fault' },
      { name: 'bucket', state: 'skipped', detail: 'Not looked at, because of storage.' },
      { name: 'database', state: 'fault', detail: 'Error: odd' },
    ])
  })
})

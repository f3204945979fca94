import { expect, it } from 'vitest'
import { isBehind } from './wait.rules.ts'

const at = (status: string, progress: number) => ({ status, progress })

it.each([
  ['nothing was reported before', at('Queued', 0), undefined, false, false],
  ['more progress', at('Processing', 42), at('Processing', 41), true, false],
  ['the same progress', at('Processing', 41), at('Processing', 41), true, false],
  ['completed', at('Completed', 100), at('Processing', 41), true, false],
  ['less progress', at('Processing', 39), at('Processing', 41), false, true],
  ['less progress, and stale', at('Queued', 0), at('Processing', 41), true, true],
  ['processing restarted', at('Queued', 0), at('Processing', 41), false, false],
])('isBehind detects lower progress: %s', (_, next, reported, isStale, expected) => {
  expect(isBehind(next, reported, isStale)).toBe(expected)
})

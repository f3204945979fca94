import { expect, it } from 'vitest'
import { isBehind } from './wait.rules.ts'

const at = (status: string, progress: number) => ({ status, progress })

it.each([
  ['nothing was told before', at('Queued', 0), undefined, false, false],
  ['it is more', at('Processing', 42), at('Processing', 41), true, false],
  ['it is the same', at('Processing', 41), at('Processing', 41), true, false],
  ['it is all', at('Completed', 100), at('Processing', 41), true, false],
  ['it is less', at('Processing', 39), at('Processing', 41), false, true],
  ['it is less, and was overtaken', at('Queued', 0), at('Processing', 41), true, true],
  ['the video begins again', at('Queued', 0), at('Processing', 41), false, false],
])('knows what would go backwards: %s', (_, next, told, isOvertaken, expected) => {
  expect(isBehind(next, told, isOvertaken)).toBe(expected)
})

import { expect, it } from 'vitest'
import { largestTick } from './chart-scale.ts'

it.each([
  [0, 1],
  [1, 1],
  [3, 5],
  [5.1, 10],
  [130, 200],
  [1000, 1000],
])('the axis for %d ends at %d', (value, tick) => {
  expect(largestTick(value)).toBe(tick)
})

import { expect, it } from 'vitest'
import { requestedRange } from './requested-range.ts'

it.each([
  [undefined, undefined],
  ['bytes=0-', { start: 0, end: 100 }],
  ['bytes=10-19', { start: 10, end: 20 }],
  ['bytes=90-500', { start: 90, end: 100 }],
  ['bytes=99-', { start: 99, end: 100 }],
  ['bytes=100-', 'unsatisfiable'],
  ['bytes=20-10', 'unsatisfiable'],
  ['bytes=-5', undefined],
  ['bytes=0-1,5-6', undefined],
  ['lines=0-', undefined],
])('requestedRange parses %s of 100 bytes as %j', (header, range) => {
  expect(requestedRange(header, 100)).toEqual(range)
})

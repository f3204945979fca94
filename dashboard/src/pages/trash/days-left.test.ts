import { expect, it } from 'vitest'
import { daysLeft } from './days-left.ts'

const now = Date.parse('2026-11-18T12:00:00Z')

it.each([
  ['2026-11-18T11:59:59Z', 0],
  ['2026-11-18T12:00:00Z', 0],
  ['2026-11-18T12:00:01Z', 1],
  ['2026-11-19T12:00:00Z', 1],
  ['2026-12-18T12:00:00Z', 30],
])('an entry that is purged at %s has %i days left', (purgeAt, days) => {
  expect(daysLeft(purgeAt, now)).toBe(days)
})

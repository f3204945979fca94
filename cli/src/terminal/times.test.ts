import { expect, it } from 'vitest'
import { byteCount, counted } from './amounts.ts'
import { duration, relativeTime } from './times.ts'

const now = new Date('2026-05-10T12:00:00Z')

it.each([
  ['2026-05-10T12:00:00.400Z', 'now'],
  ['2026-05-10T11:59:59Z', '1 second ago'],
  ['2026-05-10T11:58:01Z', '1 minute ago'],
  ['2026-05-10T14:30:00Z', 'in 2 hours'],
  ['2026-05-10T12:59:58.500Z', 'in 1 hour'],
  ['2026-05-10T12:00:59.600Z', 'in 1 minute'],
  ['2026-05-10T12:31:00Z', 'in 31 minutes'],
  ['2026-05-04T12:00:00Z', '6 days ago'],
  ['2026-04-01T12:00:00Z', expect.stringMatching(/^2026-0[34]-\d\d \d\d:00:00$/)],
])('relativeTime renders %s as %s', (iso, expected) => {
  expect(relativeTime(iso, now)).toEqual(expected)
})

it.each([
  [4.4, '0:04'],
  [59.6, '1:00'],
  [725, '12:05'],
  [3723, '1:02:03'],
])('duration renders %d seconds as %s', (seconds, expected) => {
  expect(duration(seconds)).toBe(expected)
})

it.each([
  [0, '0 B'],
  [999, '999 B'],
  [1000, '1.0 kB'],
  [999_600, '1.0 MB'],
  [123_456_789, '123 MB'],
  [2 ** 31, '2.1 GB'],
])('byteCount renders %d bytes as %s', (bytes, expected) => {
  expect(byteCount(bytes)).toBe(expected)
})

it('counted uses the singular and the plural', () => {
  expect([counted(1, 'folder'), counted(12_000, 'asset')]).toEqual(['1 folder', '12,000 assets'])
})

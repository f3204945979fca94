import { expect, it } from 'vitest'
import { timestampFromPostgres } from './time.ts'

it.each([
  ['2026-11-15 02:09:18+00', '2026-11-15T02:09:18.000000Z'],
  ['2026-11-15 02:09:18.1+00', '2026-11-15T02:09:18.100000Z'],
  ['2026-11-15 02:09:18.123456+00', '2026-11-15T02:09:18.123456Z'],
])('%s is shown as %s', (text, shown) => {
  expect(timestampFromPostgres(text)).toBe(shown)
})

it('refuses a time of another zone, which would be shown an hour off', () => {
  expect(() => timestampFromPostgres('2026-11-15 03:09:18+01')).toThrow('not UTC')
})

import { expect, it } from 'vitest'
import { timestampFromPostgres } from './time.ts'

it.each([
  ['2026-11-15 02:09:18+00', '2026-11-15T02:09:18.000000Z'],
  ['2026-11-15 02:09:18.1+00', '2026-11-15T02:09:18.100000Z'],
  ['2026-11-15 02:09:18.123456+00', '2026-11-15T02:09:18.123456Z'],
])('timestampFromPostgres turns %s into %s', (text, shown) => {
  expect(timestampFromPostgres(text)).toBe(shown)
})

it('timestampFromPostgres throws for a time that is not in UTC', () => {
  expect(() => timestampFromPostgres('2026-11-15 03:09:18+01')).toThrow('not UTC')
})

import { expect, it } from 'vitest'
import { rangeQuery } from './ranges.ts'

const today = new Date('2026-03-15T23:30:00Z')

it('a range of days includes today', () => {
  expect(rangeQuery('30', today)).toEqual({ from: '2026-02-14', by: 'day' })
})

it('a year starts with the first day of the month eleven months ago', () => {
  expect(rangeQuery('year', today)).toEqual({ from: '2025-04-01', by: 'month' })
})

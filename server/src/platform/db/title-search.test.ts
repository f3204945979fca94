import { expect, it } from 'vitest'
import { areCommon } from './title-search.ts'

it('a search reads the list when a page of matches is likely within 5,000 of its rows', () => {
  expect(areCommon(0, 100, 50)).toBe(false)
  expect(areCommon(100_000, 10_000_000, 50)).toBe(true)
  expect(areCommon(99_999, 10_000_000, 50)).toBe(false)
})

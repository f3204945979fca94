import { expect, it } from 'vitest'
import { areMatchesCommon } from './title-search.ts'

it('areMatchesCommon is true if a page of matches is expected within 5,000 rows of the list', () => {
  expect(areMatchesCommon(0, 100, 50)).toBe(false)
  expect(areMatchesCommon(100_000, 10_000_000, 50)).toBe(true)
  expect(areMatchesCommon(99_999, 10_000_000, 50)).toBe(false)
})

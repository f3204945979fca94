import { expect, it } from 'vitest'
import { areMatchesCommon } from './filtered-list.ts'

it('areMatchesCommon is true if a page is expected within 5,000 rows, or fewer rows than there are matches', () => {
  expect(areMatchesCommon(0, 100, 50)).toBe(false)
  expect(areMatchesCommon(100_000, 10_000_000, 50)).toBe(true)
  expect(areMatchesCommon(10, 1000, 50)).toBe(true)
  expect(areMatchesCommon(9, 1000, 50)).toBe(false)
  expect(areMatchesCommon(22_361, 10_000_000, 50)).toBe(true)
  expect(areMatchesCommon(22_360, 10_000_000, 50)).toBe(false)
})

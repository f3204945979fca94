import { expect, it } from 'vitest'
import { firstNumber } from './first-number.ts'

it('firstNumber returns the first number, including 0 and Infinity', () => {
  expect(firstNumber(undefined, 3, 4)).toBe(3)
  expect(firstNumber(0, 3)).toBe(0)
  expect(firstNumber(Number.POSITIVE_INFINITY, 3)).toBe(Number.POSITIVE_INFINITY)
})

it('firstNumber skips NaN and values that are not numbers', () => {
  expect(firstNumber(Number.NaN, 3)).toBe(3)
  expect(firstNumber(null as unknown as undefined, '5' as unknown as number, Number.NaN)).toBeUndefined()
})

import { expect, it } from 'vitest'
import { shrink } from './shrink.ts'

const numbers = Array.from({ length: 40 }, (_, index) => index + 1)

it('shrink returns the fewest items that fail together', async () => {
  const needed = [3, 17, 18]
  const fails = async (subset: readonly number[]) => needed.every((one) => subset.includes(one))
  expect(await shrink(numbers, fails)).toEqual(needed)
})

it('shrink returns a single item that fails alone, and does not try the empty list', async () => {
  const tried: number[] = []
  const fails = async (subset: readonly number[]) => {
    tried.push(subset.length)
    return subset.includes(29)
  }
  expect(await shrink(numbers, fails)).toEqual([29])
  expect(Math.min(...tried)).toBe(1)
})

it('shrink returns all items if no smaller list fails', async () => {
  const few = numbers.slice(0, 5)
  expect(await shrink(few, async (subset) => subset.length === 5)).toEqual(few)
})

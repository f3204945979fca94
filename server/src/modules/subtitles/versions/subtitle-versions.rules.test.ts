import { describe, expect, it } from 'vitest'
import { versionsToDelete } from './subtitle-versions.rules.ts'

const versions = (active: number, ...numbers: number[]) =>
  numbers.map((number) => ({ number, isActive: number === active }))
const deleted = (active: number, kept: number, ...numbers: number[]) =>
  versionsToDelete(versions(active, ...numbers), kept).map(({ number }) => number)

describe('versionsToDelete', () => {
  it('returns nothing up to the maximum', () => {
    expect(deleted(3, 3, 3, 2, 1)).toEqual([])
  })

  it('returns the oldest versions beyond the maximum', () => {
    expect(deleted(5, 3, 5, 4, 3, 2, 1)).toEqual([1, 2])
  })

  it('never returns the version that is shown', () => {
    expect(deleted(1, 3, 5, 4, 3, 2, 1)).toEqual([2, 3])
  })

  it('keeps 20 versions by default', () => {
    const numbers = Array.from({ length: 21 }, (_, index) => index + 1)
    expect(versionsToDelete(versions(21, ...numbers))).toEqual([{ number: 1, isActive: false }])
  })
})

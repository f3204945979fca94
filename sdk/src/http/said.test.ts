import { expect, it } from 'vitest'
import { said } from './said.ts'

it('is the first number, be it none at all or without end', () => {
  expect(said(undefined, 3, 4)).toBe(3)
  expect(said(0, 3)).toBe(0)
  expect(said(Number.POSITIVE_INFINITY, 3)).toBe(Number.POSITIVE_INFINITY)
})

it('is nothing that is no number', () => {
  expect(said(Number.NaN, 3)).toBe(3)
  expect(said(null as unknown as undefined, '5' as unknown as number, Number.NaN)).toBeUndefined()
})

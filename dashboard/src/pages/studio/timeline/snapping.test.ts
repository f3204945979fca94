import { expect, it } from 'vitest'
import { snapped } from './snapping.ts'

const options = { rate: 25, pixelsPerSecond: 100, marks: [5000, 5400, 9010] }

it('the nearest mark attracts within nine pixels', () => {
  expect(snapped(5080, options)).toEqual({ ms: 5000, isSnapped: true })
  expect(snapped(5330, options)).toEqual({ ms: 5400, isSnapped: true })
})

it('further away, or without marks, only frames attract', () => {
  expect(snapped(5111, options)).toEqual({ ms: 5120, isSnapped: false })
  expect(snapped(5080, { ...options, marks: [] })).toEqual({ ms: 5080, isSnapped: false })
})

it('a mark between two frames leads to the nearer one', () => {
  expect(snapped(9050, options)).toEqual({ ms: 9000, isSnapped: true })
})

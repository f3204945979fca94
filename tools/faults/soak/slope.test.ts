import { expect, it } from 'vitest'
import { Chance } from '../support/random.ts'
import { type Sample, slopeOf } from './slope.ts'

/** One sample every ten seconds for half an hour. */
const samplesOf = (valueAt: (seconds: number) => number): Sample[] =>
  Array.from({ length: 180 }, (_, index) => ({ seconds: 10 * index, value: valueAt(10 * index) }))

it('slopeOf reports a constant quantity as not growing', () => {
  expect(slopeOf(samplesOf(() => 7))).toEqual({ perHour: 0, noisePerHour: 0, isGrowing: false })
})

it('slopeOf reports memory that rises and is freed again as not growing', () => {
  const chance = new Chance(1)
  const sawtooth = samplesOf((seconds) => 200 + (seconds % 170) / 2 + 10 * chance.fraction())
  expect(slopeOf(sawtooth)).toMatchObject({ isGrowing: false })
})

it('slopeOf finds a leak below the noise of single samples', () => {
  const chance = new Chance(2)
  const leaking = samplesOf((seconds) => 200 + seconds / 60 + 20 * chance.fraction())
  const { perHour, isGrowing } = slopeOf(leaking)
  expect(isGrowing).toBe(true)
  expect(perHour).toBeGreaterThan(40)
  expect(perHour).toBeLessThan(80)
})

it('slopeOf ignores a steady growth of less than two percent, and a decline', () => {
  expect(slopeOf(samplesOf((seconds) => 1000 + seconds / 200)).isGrowing).toBe(false)
  expect(slopeOf(samplesOf((seconds) => 1000 - seconds / 10)).isGrowing).toBe(false)
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { displaySize, rotationOf, usableAspect } from './frame-size.ts'
import { readRational } from './rational.ts'

const square = { numerator: 1, denominator: 1 }

describe('rotationOf', () => {
  it.each([
    [undefined, 0],
    [0, 0],
    [-0, 0],
    [-90, 90],
    [90, 270],
    [180, 180],
    [-180, 180],
    [270, 90],
    [-270, 270],
    [360, 0],
    [-89.9, 90],
    [Number.NaN, 0],
    [Number.POSITIVE_INFINITY, 0],
  ])('%d degrees counterclockwise become %d degrees clockwise', (counterclockwise, clockwise) => {
    expect(rotationOf(counterclockwise)).toBe(clockwise)
  })

  it('always returns 0, 90, 180 or 270', () => {
    fc.assert(fc.property(fc.double(), (degrees) => [0, 90, 180, 270].includes(rotationOf(degrees))))
  })
})

describe('displaySize', () => {
  const size = fc.record({
    width: fc.integer({ min: 1, max: 8192 }),
    height: fc.integer({ min: 1, max: 8192 }),
  })
  const aspect = fc
    .record({
      numerator: fc.integer({ min: 1, max: 10_000 }),
      denominator: fc.integer({ min: 1, max: 10_000 }),
    })
    .map(usableAspect)

  it('scales the width by the sample aspect ratio', () => {
    expect(displaySize({ width: 720, height: 576 }, { numerator: 64, denominator: 45 }, 0)).toEqual({
      width: 1024,
      height: 576,
    })
  })

  it('swaps the sides for a quarter turn, after scaling', () => {
    fc.assert(
      fc.property(size, aspect, (stored, shape) => {
        const { width, height } = displaySize(stored, shape, 0)
        expect(displaySize(stored, shape, 180)).toEqual({ width, height })
        expect(displaySize(stored, shape, 90)).toEqual({ width: height, height: width })
        expect(displaySize(stored, shape, 270)).toEqual({ width: height, height: width })
      }),
    )
  })

  it('keeps the size for square pixels', () => {
    fc.assert(
      fc.property(size, (stored) => {
        expect(displaySize(stored, square, 0)).toEqual(stored)
      }),
    )
  })

  it('returns integer sides of at least one pixel', () => {
    fc.assert(
      fc.property(size, aspect, fc.constantFrom(0, 90, 180, 270), (stored, shape, rotation) =>
        Object.values(displaySize(stored, shape, rotation)).every((side) => Number.isInteger(side) && side >= 1),
      ),
    )
  })
})

describe('usableAspect', () => {
  it.each([
    [undefined, square],
    [
      { numerator: 64, denominator: 45 },
      { numerator: 64, denominator: 45 },
    ],
    [{ numerator: 4000, denominator: 1 }, square],
    [{ numerator: 1, denominator: 4000 }, square],
  ])('returns the aspect ratio %j as %j', (aspect, usable) => {
    expect(usableAspect(aspect)).toEqual(usable)
  })
})

describe('readRational', () => {
  it.each([
    ['30000/1001', { numerator: 30_000, denominator: 1001 }],
    ['64:45', { numerator: 64, denominator: 45 }],
    ['0/0', undefined],
    ['0:1', undefined],
    ['1/0', undefined],
    ['-1/2', undefined],
    ['N/A', undefined],
    ['', undefined],
    [undefined, undefined],
    ['1/2/3', undefined],
    ['99999999999/1', undefined],
  ])('parses %s as %j', (text, rational) => {
    expect(readRational(text)).toEqual(rational)
  })

  it('returns a positive ratio or undefined for any text', () => {
    fc.assert(
      fc.property(fc.string(), fc.nat(), fc.nat(), (text, a, b) => {
        for (const read of [readRational(text), readRational(`${a}/${b}`)]) {
          if (read) expect(read.numerator / read.denominator).toBeGreaterThan(0)
        }
      }),
    )
  })
})

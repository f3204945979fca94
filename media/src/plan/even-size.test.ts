import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SIDE_MAX, SIDE_MIN, sizeWithin } from './even-size.ts'

const side = fc.integer({ min: 1, max: 8192 })
const shorterSideMax = fc.constantFrom(240, 360, 480, 540, 720, 1080)

describe('sizeWithin', () => {
  it.each([
    ['1920x1080', 1080, '1920x1080'],
    ['1920x1080', 480, '854x480'],
    ['1080x1920', 480, '480x854'],
    ['1024x768', 720, '960x720'],
    // Odd sides are rounded down.
    ['853x479', 1080, '852x478'],
    ['853x479', 360, '642x360'],
    ['1920x1072', 1080, '1920x1072'],
    ['1920x66', 240, '1920x66'],
    ['64x48', 240, '64x48'],
    ['8192x1080', 1080, '4096x540'],
    ['8192x2', 240, '4096x2'],
    // The minimum size, the only case that is scaled up.
    ['1x1', 240, '2x2'],
  ])('%s with a shorter side of at most %d becomes %s', (source, most, made) => {
    const [width = 0, height = 0] = source.split('x').map(Number)
    const size = sizeWithin({ width, height }, most)
    expect(`${size.width}x${size.height}`).toBe(made)
  })

  it('returns even sides that exceed neither the source nor the maximum', () => {
    fc.assert(
      fc.property(side, side, shorterSideMax, (width, height, most) => {
        const made = sizeWithin({ width, height }, most)
        for (const [to, from] of [
          [made.width, width],
          [made.height, height],
        ] as const) {
          expect(to % 2).toBe(0)
          expect(to).toBeGreaterThanOrEqual(SIDE_MIN)
          expect(to).toBeLessThanOrEqual(Math.min(SIDE_MAX, Math.max(SIDE_MIN, from)))
        }
        expect(Math.min(made.width, made.height)).toBeLessThanOrEqual(most)
      }),
    )
  })

  it('keeps the aspect ratio, except for rounding', () => {
    fc.assert(
      fc.property(side, side, shorterSideMax, (width, height, most) => {
        const made = sizeWithin({ width, height }, most)
        const scale = Math.min(1, most / Math.min(width, height), SIDE_MAX / Math.max(width, height))
        expect(Math.abs(made.width - width * scale)).toBeLessThan(2)
        expect(Math.abs(made.height - height * scale)).toBeLessThan(2)
      }),
    )
  })

  it('treats portrait videos like landscape videos', () => {
    fc.assert(
      fc.property(side, side, shorterSideMax, (width, height, most) => {
        const made = sizeWithin({ width, height }, most)
        expect(sizeWithin({ width: height, height: width }, most)).toEqual({
          width: made.height,
          height: made.width,
        })
      }),
    )
  })
})

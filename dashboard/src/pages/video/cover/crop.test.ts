import fc from 'fast-check'
import { expect, it } from 'vitest'
import { changedView, coverSize, cropOf, wholeView, zoomMax } from './crop.ts'

const photo = { width: 4000, height: 3000 }
const wide = 16 / 9

it('the largest crop has the whole width or height of the image, in the middle', () => {
  expect(cropOf(photo, wide, wholeView)).toEqual({ left: 0, top: 375, width: 4000, height: 2250 })
  expect(cropOf({ width: 3000, height: 1000 }, 1, wholeView)).toEqual({ left: 1000, top: 0, width: 1000, height: 1000 })
})

it('zoom makes the crop smaller, until the cover would be blurred', () => {
  expect(cropOf(photo, wide, { ...wholeView, zoom: 2 })).toEqual({ left: 1000, top: 937.5, width: 2000, height: 1125 })
  expect(zoomMax(photo, wide)).toBe(4)
  expect(zoomMax({ width: 640, height: 360 }, wide)).toBe(2)
  expect(zoomMax({ width: 100, height: 100 }, wide)).toBe(1)
})

it('every crop is inside of the image and has the ratio', () => {
  const share = fc.double({ min: -3, max: 3, noNaN: true })
  const length = fc.integer({ min: 1, max: 8000 })
  fc.assert(
    fc.property(length, length, share, share, share, (width, height, right, down, zoom) => {
      const size = { width, height }
      const view = changedView(size, wide, { view: wholeView, right, down, zoom: zoom + 3 })
      const crop = cropOf(size, wide, view)
      expect(crop.left).toBeGreaterThanOrEqual(-1e-6)
      expect(crop.top).toBeGreaterThanOrEqual(-1e-6)
      expect(crop.left + crop.width).toBeLessThanOrEqual(width + 1e-6)
      expect(crop.top + crop.height).toBeLessThanOrEqual(height + 1e-6)
      expect(crop.width / crop.height).toBeCloseTo(wide, 6)
    }),
  )
})

it('a view that was moved to the edge moves back at once', () => {
  const atEdge = changedView(photo, wide, { view: { ...wholeView, zoom: 2 }, right: 10 })
  expect(cropOf(photo, wide, atEdge).left).toBe(2000)
  expect(cropOf(photo, wide, changedView(photo, wide, { view: atEdge, right: -0.1 })).left).toBeCloseTo(1800, 6)
})

it('covers are at most 1280 pixels long, and never enlarged', () => {
  expect(coverSize({ width: 4000, height: 2250 })).toEqual({ width: 1280, height: 720 })
  expect(coverSize({ width: 400, height: 225 })).toEqual({ width: 400, height: 225 })
})

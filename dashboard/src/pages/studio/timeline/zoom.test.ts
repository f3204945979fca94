import { describe, expect, it } from 'vitest'
import { clampZoom, placeOf, rulerOf, timeAt, zoomLimits } from './zoom.ts'

const video = (seconds: number, rate = 25) => ({ durationMs: seconds * 1000, rate })

describe('zoomLimits', () => {
  it('reaches from the whole video to single frames', () => {
    expect(zoomLimits(video(100), 1028)).toEqual({ min: 10, max: 72 * 25 })
  })

  it('stays below the largest width of an element in ten hours', () => {
    const { max } = zoomLimits(video(36_000, 60), 1000)
    expect(max * 36_000).toBeLessThanOrEqual(16_000_000)
  })

  it('is never upside down in a very short video', () => {
    const { min, max } = zoomLimits(video(0.04), 1000)
    expect(max).toBeGreaterThanOrEqual(min)
    expect(clampZoom(5, { min, max })).toBe(min)
  })
})

it('a place is converted to its time and back', () => {
  expect(placeOf(10_000, 100)).toBe(1014)
  expect(timeAt(1014, 100)).toBe(10_000)
})

describe('rulerOf', () => {
  it('has whole seconds for the whole video', () => {
    const { labels, isInFrames } = rulerOf(video(60), { fromMs: 0, toMs: 60_000, pixelsPerSecond: 20 })
    expect(labels.slice(0, 3)).toEqual([0, 5000, 10_000])
    expect(isInFrames).toBe(false)
  })

  it('has frames at the highest zoom', () => {
    const ruler = rulerOf(video(60, 30_000 / 1001), { fromMs: 0, toMs: 200, pixelsPerSecond: 3000 })
    expect(ruler).toMatchObject({ isInFrames: true, labels: [0, 34, 67, 101, 134, 167] })
  })

  it('ends with the video and starts before the range', () => {
    const { labels } = rulerOf(video(12), { fromMs: 7300, toMs: 20_000, pixelsPerSecond: 100 })
    expect(labels).toEqual([7000, 8000, 9000, 10_000, 11_000, 12_000])
  })

  it('has a bounded number of lines at every zoom of ten hours', () => {
    for (let pixelsPerSecond = 0.03; pixelsPerSecond < 450; pixelsPerSecond *= 1.7) {
      const range = { fromMs: 0, toMs: (1200 / pixelsPerSecond) * 1000, pixelsPerSecond }
      const { labels, minor } = rulerOf(video(36_000), range)
      expect(labels.length + minor.length).toBeLessThan(250)
    }
  })
})

import { describe, expect, it } from 'vitest'
import { aProbe } from '../../testing/probes.ts'
import { BITRATE_MIN, capBitrate } from './bitrates.ts'

const rate = (numerator: number, denominator = 1) => ({ numerator, denominator })
const rich = aProbe({ video: { width: 1920, height: 1080, bitrate: 50_000_000 } })
const size = (width: number, height: number) => ({ width, height })

describe('capBitrate', () => {
  it.each([
    [1920, 1080, 4_500_000],
    [1280, 720, 2_352_000],
    [854, 480, 1_230_000],
    [426, 240, 405_000],
    // Frames that are narrower and wider than 16:9.
    [960, 720, 1_869_000],
    [2560, 1080, 5_665_000],
  ])('caps %d x %d at %d bit/s', (width, height, bitrate) => {
    expect(capBitrate(rich, size(width, height), rate(30))).toBe(bitrate)
  })

  it('grows with the frame rate above 30 fps, and does not shrink below 30 fps', () => {
    const full = size(1920, 1080)
    expect(capBitrate(rich, full, rate(60))).toBe(6_364_000)
    expect(capBitrate(rich, full, rate(60_000, 1001))).toBe(6_361_000)
    expect(capBitrate(rich, full, rate(30_000, 1001))).toBe(4_500_000)
    expect(capBitrate(rich, full, rate(15))).toBe(4_500_000)
  })

  it('returns less if the source has a low bitrate', () => {
    const poor = aProbe({ video: { width: 1920, height: 1080, bitrate: 2_000_000 } })
    expect(capBitrate(poor, size(1920, 1080), rate(30))).toBe(3_000_000)
    expect(capBitrate(poor, size(854, 480), rate(30))).toBe(820_000)
  })

  it('allows twice as much if the codec of the source is more efficient than H.264', () => {
    const modern = aProbe({
      video: { codec: 'av1', width: 1920, height: 1080, bitrate: 1_000_000 },
    })
    expect(capBitrate(modern, size(1920, 1080), rate(30))).toBe(3_000_000)
  })

  it('keeps at least a third of the cap for sources with a very low average bitrate', () => {
    const slides = aProbe({ video: { width: 1920, height: 1080, bitrate: 40_000 } })
    expect(capBitrate(slides, size(1920, 1080), rate(30))).toBe(1_500_000)
  })

  it('uses the size of the file if the stream declares no bitrate', () => {
    const silent = aProbe({ bytes: 2_500_000, durationSeconds: 10 })
    expect(capBitrate(silent, size(1920, 1080), rate(30))).toBe(3_000_000)
  })

  it('never returns less than BITRATE_MIN', () => {
    expect(capBitrate(rich, size(2, 2), rate(1))).toBe(BITRATE_MIN)
  })
})

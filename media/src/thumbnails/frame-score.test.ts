import { describe, expect, it } from 'vitest'
import { chooseThumbnails } from './choose-thumbnails.ts'
import { difference, frameScore, SAMPLE_BYTES, SAMPLE_HEIGHT, SAMPLE_WIDTH, type Sample } from './frame-score.ts'

/** Creates a frame from the color of each pixel. */
function frame(colorAt: (x: number, y: number) => readonly [number, number, number]): Sample {
  const bytes = new Uint8Array(SAMPLE_BYTES)
  for (let y = 0; y < SAMPLE_HEIGHT; y++) {
    for (let x = 0; x < SAMPLE_WIDTH; x++) bytes.set(colorAt(x, y), (y * SAMPLE_WIDTH + x) * 3)
  }
  return bytes
}

const plain = (level: number) => frame(() => [level, level, level])
const black = plain(0)
const noisyBlack = frame((x, y) => {
  const noise = (x * 7 + y * 13) % 12
  return [noise, noise, noise]
})
const white = plain(255)
const title = frame((x, y) => (x > 20 && x < 44 && y > 15 && y < 20 ? [250, 250, 250] : [8, 8, 8]))
const scene = (shift: number) =>
  frame((x, y) => [(x * 4 + shift * 40) % 256, (y * 7 + shift * 90) % 256, (x * y + shift * 60) % 256])

describe('frameScore', () => {
  it.each([
    ['black', black],
    ['black with noise', noisyBlack],
    ['white', white],
  ])('is low for a %s frame', (_, sample) => {
    expect(frameScore(sample)).toBeLessThan(0.02)
  })

  it('is higher for a scene than for a title or a plain frame', () => {
    expect(frameScore(scene(1))).toBeGreaterThan(frameScore(plain(128)) + 0.3)
    expect(frameScore(scene(1))).toBeGreaterThan(frameScore(title) + 0.3)
  })

  it('difference returns 0 for identical frames, and 1 for a black and a white frame', () => {
    expect(difference(title, title)).toBe(0)
    expect(difference(black, white)).toBe(1)
  })
})

describe('chooseThumbnails', () => {
  it('skips a black beginning when it chooses the cover', () => {
    expect(chooseThumbnails([black, title, scene(1), title, black]).cover).toBe(2)
  })

  it('chooses the first of equal frames as the cover, and always returns at least one thumbnail', () => {
    expect(chooseThumbnails([black, black])).toEqual({ cover: 0, thumbnails: [0] })
  })

  it('returns different frames in the order of the video', () => {
    const samples = [scene(1), scene(1), black, scene(2), scene(1), scene(3), scene(3), scene(4)]
    const { thumbnails } = chooseThumbnails(samples)
    expect(thumbnails).toEqual(thumbnails.toSorted((one, other) => one - other))
    const chosen = thumbnails.map((number) => samples[number])
    expect(new Set(chosen).size).toBe(thumbnails.length)
    expect(chosen).toContain(samples[7])
    expect(chosen).not.toContain(black)
  })

  it('returns at most five thumbnails, even for a long video', () => {
    const samples = Array.from({ length: 200 }, (_, index) => scene(1 + Math.floor(index / 40)))
    expect(chooseThumbnails(samples).thumbnails).toHaveLength(5)
  })
})

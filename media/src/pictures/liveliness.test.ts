import { describe, expect, it } from 'vitest'
import { choosePictures } from './choose.ts'
import {
  difference,
  liveliness,
  SAMPLE_BYTES,
  SAMPLE_HEIGHT,
  SAMPLE_WIDTH,
  type Sample,
} from './liveliness.ts'

/** A picture by the colour of each pixel. */
function picture(colourAt: (x: number, y: number) => readonly [number, number, number]): Sample {
  const bytes = new Uint8Array(SAMPLE_BYTES)
  for (let y = 0; y < SAMPLE_HEIGHT; y++) {
    for (let x = 0; x < SAMPLE_WIDTH; x++) bytes.set(colourAt(x, y), (y * SAMPLE_WIDTH + x) * 3)
  }
  return bytes
}

const plain = (level: number) => picture(() => [level, level, level])
const black = plain(0)
const noisyBlack = picture((x, y) => {
  const noise = (x * 7 + y * 13) % 12
  return [noise, noise, noise]
})
const white = plain(255)
const title = picture((x, y) =>
  x > 20 && x < 44 && y > 15 && y < 20 ? [250, 250, 250] : [8, 8, 8],
)
const scene = (shift: number) =>
  picture((x, y) => [
    (x * 4 + shift * 40) % 256,
    (y * 7 + shift * 90) % 256,
    (x * y + shift * 60) % 256,
  ])

describe('liveliness', () => {
  it.each([
    ['black', black],
    ['black with noise in it', noisyBlack],
    ['white', white],
  ])('a picture that is %s shows nothing', (_, sample) => {
    expect(liveliness(sample)).toBeLessThan(0.02)
  })

  it('a scene shows more than a title, and a title more than nothing', () => {
    expect(liveliness(scene(1))).toBeGreaterThan(liveliness(plain(128)) + 0.3)
    expect(liveliness(scene(1))).toBeGreaterThan(liveliness(title) + 0.3)
  })

  it('a picture differs from itself by nothing, and black from white by all there is', () => {
    expect(difference(title, title)).toBe(0)
    expect(difference(black, white)).toBe(1)
  })
})

describe('the choice', () => {
  it('is not the black beginning', () => {
    expect(choosePictures([black, title, scene(1), title, black]).cover).toBe(2)
  })

  it('is the first of those that are as good, and there is always one', () => {
    expect(choosePictures([black, black])).toEqual({ cover: 0, thumbnails: [0] })
  })

  it('holds no picture twice, in the order of the video', () => {
    const samples = [scene(1), scene(1), black, scene(2), scene(1), scene(3), scene(3), scene(4)]
    const { thumbnails } = choosePictures(samples)
    expect(thumbnails).toEqual(thumbnails.toSorted((one, other) => one - other))
    const shown = thumbnails.map((number) => samples[number])
    expect(new Set(shown).size).toBe(thumbnails.length)
    expect(shown).toContain(samples[7])
    expect(shown).not.toContain(black)
  })

  it('shows no more than five, however long the video is', () => {
    const samples = Array.from({ length: 200 }, (_, index) => scene(1 + Math.floor(index / 40)))
    expect(choosePictures(samples).thumbnails).toHaveLength(5)
  })
})

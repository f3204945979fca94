import { expect, it } from 'vitest'
import { SAMPLE_BYTES, type Sample } from '../thumbnails/frame-score.ts'
import { candidatesOf, cutIn } from './scene-changes.ts'

const plain = (level: number): Sample => new Uint8Array(SAMPLE_BYTES).fill(level)
/** A picture whose content moves to the left. */
const moving = (shift: number): Sample =>
  Uint8Array.from({ length: SAMPLE_BYTES }, (_, at) => 128 + Math.round(100 * Math.sin((at / 3 + shift) / 9)))

it('candidates are the neighbors that differ most, in the order of the video', () => {
  const samples = [plain(10), plain(12), plain(200), plain(195), plain(90), plain(60)]
  expect(candidatesOf(samples, 10).map(({ before }) => before)).toEqual([1, 3, 4])
  expect(candidatesOf(samples, 2).map(({ before }) => before)).toEqual([1, 3])
  expect(candidatesOf([plain(1)], 10)).toEqual([])
})

it('a cut is the first frame that differs', () => {
  expect(cutIn([plain(20), plain(20), plain(21), plain(140), plain(141)])).toBe(3)
  expect(cutIn([...[0, 1, 2, 3].map(moving), plain(20), plain(20)])).toBe(4)
  expect(cutIn([plain(20), plain(120)])).toBe(1)
})

it('a dissolve and motion are no cuts', () => {
  expect(cutIn([20, 40, 60, 80, 100, 120].map(plain))).toBeUndefined()
  expect(cutIn(Array.from({ length: 40 }, (_, index) => moving(index)))).toBeUndefined()
  expect(cutIn(new Array<Sample>(30).fill(plain(9)))).toBeUndefined()
})

import fc from 'fast-check'
import { expect, it } from 'vitest'
import { titleViolation } from '../../kernel/title.ts'
import { foundChapters } from './found-chapters.rules.ts'

const probed = (durationSeconds: number, ...chapters: [number, string][]) => ({
  durationSeconds,
  width: 64,
  height: 48,
  frameRate: null,
  chapters: chapters.map(([startSeconds, title]) => ({ startSeconds, title })),
})

it('foundChapters returns chapters sorted by start, within the video and one per millisecond', () => {
  const found = foundChapters(
    probed(10.5, [9.7, 'c'], [-0.02, 'a'], [3.2004, 'b2'], [3.2, 'b'], [10.2, 'd'], [10.5, 'e'], [-5, 'f']),
  )
  expect(found).toEqual([
    { startSeconds: 0, title: 'a' },
    { startSeconds: 3.2, title: 'b' },
    { startSeconds: 9.7, title: 'c' },
    { startSeconds: 10.2, title: 'd' },
  ])
})

it('foundChapters adds missing titles and truncates long ones', () => {
  const found = foundChapters(probed(60, [0, ' a\nb\t'], [1, ' \0 '], [2, '🎬'.repeat(300)]))
  expect(found.map(({ title }) => title)).toEqual(['a b', 'Chapter 2', '🎬'.repeat(255)])
})

it('foundChapters returns at most the first 500 chapters', () => {
  const many = Array.from({ length: 600 }, (_, index): [number, string] => [599 - index, 'x'])
  const found = foundChapters(probed(600, ...many))
  expect(found).toHaveLength(500)
  expect(found.at(-1)?.startSeconds).toBe(499)
})

it('foundChapters always returns valid chapters', () => {
  const entries = fc.array(fc.tuple(fc.double({ noNaN: true }), fc.oneof(fc.string({ unit: 'binary' }), fc.string())))
  fc.assert(
    fc.property(fc.double({ min: 0.001, max: 1e6, noNaN: true }), entries, (duration, given) => {
      const found = foundChapters(probed(duration, ...given))
      const starts = found.map(({ startSeconds }) => startSeconds)
      expect(starts).toEqual([...new Set(starts)].toSorted((a, b) => a - b))
      for (const { startSeconds, title } of found) {
        expect(titleViolation(title)).toBeUndefined()
        expect(startSeconds >= 0 && startSeconds === Math.round(startSeconds * 1000) / 1000).toBe(true)
        expect(startSeconds < duration && startSeconds < 360_000).toBe(true)
      }
    }),
  )
})

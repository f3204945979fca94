import { expect, it } from 'vitest'
import { blocksOf } from './cue-blocks.ts'

const cues = Array.from({ length: 3000 }, (_, index) => ({
  ...{ key: `${index}`, startMs: index * 2000, endMs: index * 2000 + 1800, text: `text ${index}` },
  ...{ speaker: '', settings: '' },
}))

it('shows the captions of the visible part only', () => {
  const blocks = blocksOf(cues, { fromMs: 10_000, toMs: 20_000, pixelsPerSecond: 100 })
  expect(blocks.map(({ key }) => key)).toEqual(['4', '5', '6', '7', '8', '9', '10'])
})

it('joins captions that start at almost the same place, also if they are long', () => {
  const dense = cues.map((cue, index) => ({ ...cue, startMs: index * 10, endMs: index * 10 + 5000 }))
  expect(blocksOf(dense, { fromMs: 0, toMs: 30_000, pixelsPerSecond: 20 }).length).toBeLessThanOrEqual(100)
})

it('joins captions that are too narrow, so that there are never many', () => {
  const width = 1400
  const blocks = blocksOf(cues, { fromMs: 0, toMs: 6_000_000, pixelsPerSecond: width / 6000 })
  expect(blocks.length).toBeLessThan(width / 6)
  expect(blocks.every(({ isJoined, text }) => isJoined && text === '')).toBe(true)
})

import { expect, it } from 'vitest'
import { indexesWithWarning, readingSpeed, warningsOf } from './cue-warnings.ts'

const cue = (startMs: number, endMs: number, text = 'Hello') => ({ startMs, endMs, text, speaker: '', settings: '' })
const kinds = (...given: Parameters<typeof warningsOf>) => warningsOf(...given).map(({ kind }) => kind)

it('counts the characters that are read in a second, without tags', () => {
  expect(readingSpeed(cue(0, 2000, '<i>Hello</i>\nworld'))).toBe(6)
})

it('warns of captions that are too fast, too short, too long, empty, or overlap', () => {
  expect(kinds(cue(0, 1000), cue(1000, 2000), 9000)).toEqual([])
  expect(warningsOf(cue(0, 1000, 'x'.repeat(22)), undefined, 9000)).toEqual([{ kind: 'fast', charactersPerSecond: 22 }])
  expect(kinds(cue(0, 1000), cue(999, 2000), 9000)).toEqual(['overlap'])
  expect(kinds(cue(0, 400), undefined, 9000)).toEqual(['short'])
  expect(kinds(cue(0, 1000, '<i> </i>'), undefined, 9000)).toEqual(['empty'])
  expect(kinds(cue(9000, 10_000), undefined, 9000)).toEqual(['outside'])
  expect(kinds(cue(0, 1000, 'a\nb\nc\nd'), undefined, 9000)).toEqual(['lines'])
})

it('finds all captions with a warning', () => {
  expect(indexesWithWarning([cue(0, 1000), cue(1000, 1200), cue(1200, 9000)], 9000)).toEqual([1])
})

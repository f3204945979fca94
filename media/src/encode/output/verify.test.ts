import { describe, expect, it } from 'vitest'
import { planOf } from '../../../testing/plans.ts'
import type { FragmentInfo } from './fragment-index.ts'
import { findAudioError, findRungError } from './verify.ts'

const plan = planOf({ durationSeconds: 10 })

const fragment = (frame: number, samples: number, perFrame: number): FragmentInfo => ({
  ...{ offset: 0, firstSampleBytes: 100, keys: [0], samples, isEncrypted: false },
  ...{
    startTicks: frame * perFrame,
    firstOffsetTicks: 2 * perFrame,
    lengthTicks: samples * perFrame,
  },
})
const valid = [[fragment(120, 60, 1000), fragment(180, 60, 1000)], [fragment(240, 60, 1000)]]
const frames = { start: 120, end: 300 }
const changed = (change: Partial<FragmentInfo>) => [
  [fragment(120, 60, 1000), { ...fragment(180, 60, 1000), ...change }],
  [fragment(240, 60, 1000)],
]

describe('findRungError', () => {
  const errorOf = (segments: FragmentInfo[][], timescale = 30_000) =>
    findRungError(plan, frames, { timescale, skippedTicks: 2000, segments })

  it('returns no error for a rung that matches the plan', () => {
    expect(errorOf(valid)).toBeUndefined()
  })

  it.each([
    ['a missing frame', changed({ samples: 59, lengthTicks: 59_000 })],
    ['a frame that is too long', changed({ lengthTicks: 60_001 })],
    ['a late fragment', changed({ startTicks: 180_001 })],
    ['a first frame that is displayed too late', changed({ firstOffsetTicks: 3000 })],
    ['a first frame that is displayed too early', changed({ firstOffsetTicks: 0 })],
    ['a keyframe off the grid', changed({ keys: [0, 30] })],
    ['a missing keyframe', changed({ keys: [] })],
    ['a missing end', valid.slice(0, 1)],
    ['a segment off the grid', [valid[0]?.slice(0, 1) ?? [], valid[0]?.slice(1) ?? []]],
  ])('returns an error for a rung with %s', (_, segments) => {
    expect(errorOf(segments)).toEqual(expect.any(String))
  })

  it('returns an error for a rung whose timescale differs from the plan', () => {
    expect(errorOf(valid, 15_360)).toBe('the timescale is 15360 instead of 30000')
  })
})

describe('findAudioError', () => {
  const range = { start: 188, end: 375 }
  const errorOf = (segments: FragmentInfo[][]) =>
    findAudioError(48_000, range, { timescale: 48_000, skippedTicks: 2048, segments })

  it('returns no error for audio that matches the plan, whatever the length of its fragments', () => {
    expect(errorOf([[fragment(188, 94, 1024), fragment(282, 93, 1024)]])).toBeUndefined()
  })

  it.each([
    ['a gap', [[fragment(188, 94, 1024), fragment(283, 92, 1024)]]],
    ['an early end', [[fragment(188, 94, 1024)]]],
    ['another start', [[fragment(187, 188, 1024)]]],
  ])('returns an error for audio with %s', (_, segments) => {
    expect(errorOf(segments)).toEqual(expect.any(String))
  })
})

import { describe, expect, it } from 'vitest'
import { planOf } from '../../testing/plans.ts'
import type { FragmentMade } from './fragments-made.ts'
import { faultOfRung, faultOfSound } from './verify.ts'

const plan = planOf({ durationSeconds: 10 })

const fragment = (frame: number, samples: number, perFrame: number): FragmentMade => ({
  ...{ offset: 0, firstSampleBytes: 100, keys: [0], samples, isEncrypted: false },
  ...{
    startTicks: frame * perFrame,
    firstOffsetTicks: 2 * perFrame,
    lengthTicks: samples * perFrame,
  },
})
const good = [[fragment(120, 60, 1000), fragment(180, 60, 1000)], [fragment(240, 60, 1000)]]
const frames = { start: 120, end: 300 }
const changed = (change: Partial<FragmentMade>) => [
  [fragment(120, 60, 1000), { ...fragment(180, 60, 1000), ...change }],
  [fragment(240, 60, 1000)],
]

describe('of a rung', () => {
  const faultOf = (segments: FragmentMade[][], timescale = 30_000) =>
    faultOfRung(plan, frames, { timescale, skippedTicks: 2000, segments })

  it('all is well', () => {
    expect(faultOf(good)).toBeUndefined()
  })

  it.each([
    ['a frame is missing', changed({ samples: 59, lengthTicks: 59_000 })],
    ['a frame is too long', changed({ lengthTicks: 60_001 })],
    ['it begins too late', changed({ startTicks: 180_001 })],
    ['its first picture is shown too late', changed({ firstOffsetTicks: 3000 })],
    ['its first picture is shown too early', changed({ firstOffsetTicks: 0 })],
    ['a keyframe lies off the grid', changed({ keys: [0, 30] })],
    ['a keyframe is none', changed({ keys: [] })],
    ['the end is missing', good.slice(0, 1)],
    ['a segment begins off the grid', [good[0]?.slice(0, 1) ?? [], good[0]?.slice(1) ?? []]],
  ])('%s', (_, segments) => {
    expect(faultOf(segments)).toEqual(expect.any(String))
  })

  it('times are counted otherwise', () => {
    expect(faultOf(good, 15_360)).toBe('a timescale of 15360 instead of 30000')
  })
})

describe('of the sound', () => {
  const range = { start: 188, end: 375 }
  const faultOf = (segments: FragmentMade[][]) =>
    faultOfSound(48_000, range, { timescale: 48_000, skippedTicks: 2048, segments })

  it('all is well, however long the fragments', () => {
    expect(faultOf([[fragment(188, 94, 1024), fragment(282, 93, 1024)]])).toBeUndefined()
  })

  it.each([
    ['a gap', [[fragment(188, 94, 1024), fragment(283, 92, 1024)]]],
    ['an end too early', [[fragment(188, 94, 1024)]]],
    ['another beginning', [[fragment(187, 188, 1024)]]],
  ])('%s', (_, segments) => {
    expect(faultOf(segments)).toEqual(expect.any(String))
  })
})

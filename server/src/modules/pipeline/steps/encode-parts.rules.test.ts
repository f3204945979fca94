import type { Part, Plan } from '@reelkeep/media'
import { expect, it } from 'vitest'
import { partOf, splitByTrack, stepPartsOf } from './encode-parts.rules.ts'

const opening: Part = { number: 0, tracks: [{ name: '240p', segments: { start: 0, end: 2 } }] }
const rest: Part = {
  number: 1,
  tracks: [
    { name: '240p', segments: { start: 2, end: 5 } },
    { name: '720p', segments: { start: 0, end: 5 } },
  ],
}
const plan = { parts: [opening, rest] } as unknown as Plan

it('the first part, which makes the video playable, has priority', () => {
  expect(stepPartsOf(plan)).toEqual([
    { part: '0', urgency: 'soon' },
    { part: '1', urgency: 'normal' },
  ])
})

it('partOf finds a whole part, and a single track of it, by name', () => {
  expect(partOf(plan, '1')).toEqual(rest)
  const [, alone] = splitByTrack(rest)
  expect(alone).toEqual({ part: '1-720p' })
  expect(partOf(plan, '1-720p')).toEqual({ number: 1, tracks: [rest.tracks[1]] })
})

it('an unplanned part is rejected', () => {
  expect(() => partOf(plan, '2')).toThrow('no part 2')
  expect(() => partOf(plan, '0-720p')).toThrow('no part 0-720p')
})

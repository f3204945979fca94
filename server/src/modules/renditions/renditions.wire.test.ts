import type { Plan } from '@reelkeep/media'
import { expect, it } from 'vitest'
import type { Asset } from '../assets/assets.ts'
import { toPlan } from './renditions.wire.ts'

const asset = { resolutions: ['720p', '240p'], renditions: [], status: 'Queued' } as unknown as Asset
const plan = {
  ...{ frameRate: { numerator: 30, denominator: 1 }, gopFrames: 60, segmentFrames: 120, parts: [], audio: null },
  rungs: [{ name: '240p', width: 426, height: 240, crf: 25, bitrateMax: 405_000, reason: 'Requested.' }],
  leftOut: [{ name: '720p', reason: 'The source is only 240 pixels high.' }],
} as unknown as Plan

const decisionsIn = ({ renditions }: ReturnType<typeof toPlan>) =>
  renditions.map(({ name, decision, width }) => [name, decision, width])

it('the plan lists encoded and skipped renditions, smallest first', () => {
  expect(decisionsIn(toPlan(asset, plan))).toEqual([
    ['240p', 'encoded', 426],
    ['720p', 'skipped', null],
  ])
})

it('all renditions are undecided before the file has been probed', () => {
  expect(decisionsIn(toPlan(asset, undefined))).toEqual([
    ['240p', 'undecided', null],
    ['720p', 'undecided', null],
  ])
})

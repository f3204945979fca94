import type { assets as contract } from '@reelkeep/contract'
import type { LeftOutRung, Plan, Rational, Rung } from '@reelkeep/media'
import type { Asset } from '../assets/assets.ts'
import { toRendition } from '../assets/assets.wire.ts'

type PlannedRendition = contract.AssetPlan['renditions'][number]

export const toPlan = (asset: Asset, plan: Plan | undefined): contract.AssetPlan =>
  plan ? decided(asset, plan) : undecided(asset)

const decided = (asset: Asset, plan: Plan): contract.AssetPlan => ({
  frame_rate: rounded(toNumber(plan.frameRate)),
  keyframe_interval: rounded(plan.gopFrames / toNumber(plan.frameRate)),
  segment_duration: rounded(plan.segmentFrames / toNumber(plan.frameRate)),
  part_count: plan.parts.length,
  audio: plan.audio && {
    bitrate: plan.audio.bitrate,
    channels: plan.audio.channels,
    sample_rate: plan.audio.sampleRate,
  },
  renditions: [
    ...plan.rungs.map((rung) => toMade(asset, rung)),
    ...plan.leftOut.map(toLeftOut),
  ].toSorted((one, other) => sizeOf(one) - sizeOf(other)),
})

const undecided = (asset: Asset): contract.AssetPlan => ({
  frame_rate: null,
  keyframe_interval: null,
  segment_duration: null,
  part_count: null,
  audio: null,
  renditions: asset.resolutions
    .map((name) => ({ ...notMade, name, decision: 'undecided', reason: notLookedInto(asset) }))
    .toSorted((one, other) => sizeOf(one) - sizeOf(other)),
})

const notLookedInto = ({ status }: Asset) =>
  status === 'Error'
    ? 'The file could not be used; `video.error` of the asset tells why.'
    : 'The file has not been looked into yet, which happens seconds after its upload.'

const notMade = { status: null, width: null, height: null, bitrate_max: null, bitrate: null }

function toMade(asset: Asset, { name, width, height, bitrateMax, reason }: Rung): PlannedRendition {
  const rendition = asset.renditions.find((one) => one.name === name)
  const { status = null, bitrate = null } = rendition ? toRendition(asset, rendition) : {}
  return { name, decision: 'made', reason, status, width, height, bitrate_max: bitrateMax, bitrate }
}

const toLeftOut = ({ name, reason }: LeftOutRung): PlannedRendition => ({
  ...{ name, decision: 'left_out', reason },
  ...notMade,
})

const sizeOf = ({ name }: PlannedRendition) => Number.parseInt(name, 10)

const toNumber = ({ numerator, denominator }: Rational) => numerator / denominator

/** To the millisecond, as far as anybody looks. */
const rounded = (value: number) => Math.round(value * 1000) / 1000

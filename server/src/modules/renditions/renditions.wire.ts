import type { assets as contract, frames } from '@reelkeep/contract'
import type { Plan, Rational, Rung, SkippedRung } from '@reelkeep/media'
import type { Asset } from '../assets/assets.ts'
import { toRendition } from '../assets/assets.wire.ts'
import type { Frame } from './renditions.rules.ts'

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
  renditions: [...plan.rungs.map((rung) => toEncoded(asset, rung)), ...plan.leftOut.map(toSkipped)].toSorted(
    (a, b) => sizeOf(a) - sizeOf(b),
  ),
})

const undecided = (asset: Asset): contract.AssetPlan => ({
  frame_rate: null,
  keyframe_interval: null,
  segment_duration: null,
  part_count: null,
  audio: null,
  renditions: asset.resolutions
    .map((name) => ({ ...notEncoded, name, decision: 'undecided', reason: notProbed(asset) }))
    .toSorted((a, b) => sizeOf(a) - sizeOf(b)),
})

const notProbed = ({ status }: Asset) =>
  status === 'Error'
    ? 'The file cannot be processed; see `video.error` of the asset.'
    : 'The file has not been probed yet. The probe takes a few seconds after the upload.'

const notEncoded = { status: null, width: null, height: null, bitrate_max: null, bitrate: null }

function toEncoded(asset: Asset, { name, width, height, bitrateMax, reason }: Rung): PlannedRendition {
  const rendition = asset.renditions.find((rendition) => rendition.name === name)
  const { status = null, bitrate = null } = rendition ? toRendition(asset, rendition) : {}
  return { name, decision: 'encoded', reason, status, width, height, bitrate_max: bitrateMax, bitrate }
}

const toSkipped = ({ name, reason }: SkippedRung): PlannedRendition => ({
  ...{ name, decision: 'skipped', reason },
  ...notEncoded,
})

const sizeOf = ({ name }: PlannedRendition) => Number.parseInt(name, 10)

const toNumber = ({ numerator, denominator }: Rational) => numerator / denominator

/** Rounds to three decimals. */
const rounded = (value: number) => Math.round(value * 1000) / 1000

/** Null and empty before the file has been probed. */
export const toFrames = (plan: Plan | undefined, around: readonly Frame[]): frames.Frames => ({
  frame_rate: plan ? { numerator: plan.frameRate.numerator, denominator: plan.frameRate.denominator } : null,
  frame_count: plan?.frames ?? null,
  keyframe_interval: plan?.gopFrames ?? null,
  frames: around.map(({ number, seconds, isKeyframe }) => ({ number, time: seconds, is_keyframe: isKeyframe })),
})

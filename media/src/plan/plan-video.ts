/** Plans a video: a pure function of its probe and the requested resolutions. */
import type { Probe } from '../probe/facts/probe-facts.ts'
import { planAudio } from './audio.ts'
import { capBitrate, rateFactors } from './bitrates.ts'
import { planFrameRate } from './frame-rate.ts'
import { planGrid } from './grid.ts'
import { splitIntoParts } from './parts.ts'
import type { Plan, RungName } from './plan.ts'
import { chooseRungs } from './rungs.ts'
import { planVideoInput } from './video-input.ts'

/** Requested resolutions: at least one, in any order. */
export type VideoOptions = { readonly resolutions: readonly RungName[] }

export function planVideo(probe: Probe, options: VideoOptions): Plan {
  const { durationSeconds, video } = probe
  const grid = planGrid(durationSeconds, planFrameRate(video))
  const audio = planAudio(probe.audio)
  const { made, leftOut } = chooseRungs(video, options.resolutions)
  const rungs = made.map(({ reason, ...rung }) => ({
    ...rung,
    crf: rateFactors[rung.name],
    bitrateMax: capBitrate(probe, rung, grid.frameRate),
    reason,
  }))
  return {
    durationSeconds,
    ...grid,
    picture: planVideoInput(probe),
    audio,
    rungs,
    leftOut,
    parts: splitIntoParts({ segments: grid.segments, rungs, hasAudio: audio !== null }),
  }
}

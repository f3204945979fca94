/** The plan of a video: a pure function of what it is and what was asked for. */
import type { Probe } from '../probe/probe-facts.ts'
import { planAudio } from './audio.ts'
import { capBitrate, rateFactors } from './bitrates.ts'
import { planFrameRate } from './frame-rate.ts'
import { layGrid } from './grid.ts'
import { cutIntoParts } from './parts.ts'
import { planPicture } from './picture.ts'
import type { Plan, RungName } from './plan.ts'
import { chooseRungs } from './rungs.ts'

/** At least one; the order does not matter. */
export type VideoWish = { readonly resolutions: readonly RungName[] }

export function planVideo(probe: Probe, wish: VideoWish): Plan {
  const { durationSeconds, video } = probe
  const grid = layGrid(durationSeconds, planFrameRate(video))
  const audio = planAudio(probe.audio)
  const { made, leftOut } = chooseRungs(video, wish.resolutions)
  const rungs = made.map(({ reason, ...rung }) => ({
    ...rung,
    crf: rateFactors[rung.name],
    bitrateMax: capBitrate(probe, rung, grid.frameRate),
    reason,
  }))
  return {
    durationSeconds,
    ...grid,
    picture: planPicture(probe),
    audio,
    rungs,
    leftOut,
    parts: cutIntoParts({ segments: grid.segments, rungs, hasAudio: audio !== null }),
  }
}

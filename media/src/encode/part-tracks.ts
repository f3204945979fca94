/** The tracks of a part, with the parameters for encoding them. */
import type { AudioPlan, Part, Plan, Rung } from '../plan/plan.ts'
import { audioFrames, type FrameRange, videoFrames } from './arguments/frame-ranges.ts'

export type PartRung = { readonly rung: Rung; readonly frames: FrameRange }
export type PartAudio = { readonly audio: AudioPlan; readonly frames: FrameRange }

/** Rungs of a part, sorted by start, because ffmpeg reports the progress of its first output. */
export const partRungs = (plan: Plan, part: Part): PartRung[] =>
  plan.rungs
    .flatMap((rung) => {
      const track = part.tracks.find(({ name }) => name === rung.name)
      return track ? [{ rung, frames: track.frames ?? videoFrames(plan, track.segments) }] : []
    })
    .toSorted((a, b) => a.frames.start - b.frames.start)

export function findPartAudio(plan: Plan, part: Part): PartAudio | undefined {
  const track = part.tracks.find(({ name }) => name === 'audio')
  if (!track || !plan.audio) return undefined
  return { audio: plan.audio, frames: track.frames ?? audioFrames(plan, plan.audio, track.segments) }
}

/** A part's tracks with all that making them takes. */
import type { AudioPlan, Part, Plan, Rung } from '../plan/plan.ts'
import { type FrameRange, picturesOf, soundsOf } from './places.ts'

export type RungOfPart = { readonly rung: Rung; readonly frames: FrameRange }
export type SoundOfPart = { readonly audio: AudioPlan; readonly frames: FrameRange }

/** The one that begins first comes first: ffmpeg tells the progress of its first output. */
export const rungsOf = (plan: Plan, part: Part): RungOfPart[] =>
  plan.rungs
    .flatMap((rung) => {
      const track = part.tracks.find(({ name }) => name === rung.name)
      return track ? [{ rung, frames: picturesOf(plan, track.segments) }] : []
    })
    .toSorted((a, b) => a.frames.start - b.frames.start)

export function soundOf(plan: Plan, part: Part): SoundOfPart | undefined {
  const track = part.tracks.find(({ name }) => name === 'audio')
  if (!track || !plan.audio) return undefined
  return { audio: plan.audio, frames: soundsOf(plan, plan.audio, track.segments) }
}

/** Parts of a plan by the names under which they are enqueued: "3", or "3-720p" for one track of it. */
import type { Part, Plan } from '@reelkeep/media'
import type { StepPart } from './step.ts'

/** The first part makes the video playable, so it has priority over all other jobs of the organization. */
export const stepPartsOf = ({ parts }: Plan): StepPart[] =>
  parts.map(({ number }) => ({
    part: String(number),
    urgency: number === 0 ? 'soon' : 'normal',
  }))

export const splitByTrack = ({ number, tracks }: Part): StepPart[] =>
  tracks.map(({ name }) => ({ part: `${number}-${name}` }))

export function partOf({ parts }: Plan, name: string): Part {
  const [number, track] = name.split('-')
  const part = parts.find((planned) => String(planned.number) === number)
  const tracks = part?.tracks.filter(({ name }) => track === undefined || name === track) ?? []
  if (!part || tracks.length === 0) throw new Error(`The plan has no part ${name}`)
  return { ...part, tracks }
}

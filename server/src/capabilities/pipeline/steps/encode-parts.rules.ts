/** The parts of a plan under the names by which they are promised: "3", and "3-720p" for one track of it alone. */
import type { Part, Plan } from '@reelkeep/media'
import type { Portion } from './step.ts'

/** The first one makes the video playable, so it goes before whatever else the organization has promised. */
export const portionsOf = ({ parts }: Plan): Portion[] =>
  parts.map(({ number }) => ({
    part: String(number),
    urgency: number === 0 ? 'soon' : 'normal',
  }))

export const tracksOf = ({ number, tracks }: Part): Portion[] =>
  tracks.map(({ name }) => ({ part: `${number}-${name}` }))

export function partOf({ parts }: Plan, name: string): Part {
  const [number, track] = name.split('-')
  const part = parts.find((one) => String(one.number) === number)
  const tracks = part?.tracks.filter((one) => track === undefined || one.name === track) ?? []
  if (!part || tracks.length === 0) throw new Error(`The plan has no part ${name}`)
  return { ...part, tracks }
}

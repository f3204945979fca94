import { boxesIn } from '../probe/container/fragments.ts'

const HEADER_BYTES = 8

/**
 * Reduces a fragment to its first sample. `beginning` is the fragment up to the end of that sample. Such fragments,
 * concatenated after their init segment, are a video of keyframes, so no other data has to be fetched.
 */
export function singleKeyframe(beginning: Buffer): Buffer {
  const [moof] = boxesIn(beginning, 0, beginning.length)
  if (moof?.name !== 'moof') throw new Error('the keyframe has no fragment header')
  const fragment = Buffer.from(beginning)
  const tracks = boxesIn(fragment, moof.start, moof.end).filter(({ name }) => name === 'traf')
  for (const { start, end } of tracks) {
    const runs = boxesIn(fragment, start, end).filter(({ name }) => name === 'trun')
    // Sets the sample count of a `trun` box, which follows version and flags; players ignore the other entries.
    for (const run of runs) fragment.writeUInt32BE(1, run.start + 4)
  }
  const content = fragment.toString('latin1', moof.end + 4, moof.end + HEADER_BYTES)
  if (content !== 'mdat') throw new Error('the keyframe has no content')
  fragment.writeUInt32BE(fragment.length - moof.end, moof.end)
  return fragment
}

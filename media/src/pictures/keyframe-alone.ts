import { boxesIn } from '../probe/fragments.ts'

const HEADER_BYTES = 8

/**
 * A fragment with its first sample and no other, from its beginning as far as that sample goes. One
 * after the other, behind the beginning of their rendition, such fragments are a video of
 * keyframes: nothing else of it has to be fetched.
 */
export function keyframeAlone(beginning: Buffer): Buffer {
  const [moof] = boxesIn(beginning, 0, beginning.length)
  if (moof?.name !== 'moof') throw new Error('A keyframe without the header of its fragment')
  const alone = Buffer.from(beginning)
  const tracks = boxesIn(alone, moof.start, moof.end).filter(({ name }) => name === 'traf')
  for (const { start, end } of tracks) {
    const runs = boxesIn(alone, start, end).filter(({ name }) => name === 'trun')
    // Behind version and flags stands how many samples there are; the rest of the list is passed over.
    for (const run of runs) alone.writeUInt32BE(1, run.start + 4)
  }
  const content = alone.toString('latin1', moof.end + 4, moof.end + HEADER_BYTES)
  if (content !== 'mdat') throw new Error('A keyframe without its content')
  alone.writeUInt32BE(alone.length - moof.end, moof.end)
  return alone
}

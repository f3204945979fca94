/**
 * IVs of `cenc`. Every sample has an IV of eight bytes, one higher than the IV of the previous sample; the block
 * counter follows the IV. Two samples with the same key and IV would be encrypted with the same key stream, which
 * reveals the difference of their content. So each track of a part starts at a different IV, which consists of
 * the number of the track in the plan, a random number of the run, and the number of the first frame.
 *
 *     4 bits track, 32 bits random, 28 bits frame
 *
 * Tracks differ in the first field and parts of a track in the last, whatever the random numbers
 * are. The random number separates two attempts at the same part, of which one is discarded.
 */
const TRACK_BITS = 4n
const RANDOM_BITS = 32n
const FRAME_BITS = 28n

/** Maximum number of frames of a track, 51 days at 60 fps: its IVs never reach the next random number. */
const FRAMES_MAX = 2 ** Number(FRAME_BITS)
const TRACKS_MAX = 2 ** Number(TRACK_BITS)
export const RANDOM_MAX = 2 ** Number(RANDOM_BITS)

export type IvPosition = {
  readonly track: number
  readonly random: number
  readonly frames: { readonly start: number; readonly end: number }
}

export function firstIv({ track, random, frames }: IvPosition): Buffer {
  if (frames.end > FRAMES_MAX) throw new Error(`frame ${frames.end} is beyond the range of the IV`)
  if (track >= TRACKS_MAX || random >= RANDOM_MAX) throw new Error('track or random number is out of range')
  const iv = Buffer.alloc(8)
  iv.writeBigUInt64BE((((BigInt(track) << RANDOM_BITS) | BigInt(random)) << FRAME_BITS) | BigInt(frames.start))
  return iv
}

/**
 * The vectors of `cenc`. Every sample has one of eight bytes, one more than the sample before; the
 * counter of its blocks stands behind them. Two samples under one key and vector would be encrypted
 * with the same stream, and whoever has both has the difference of the pictures. So each track of a
 * part begins at a place of its own: its number in the plan, a number drawn for the run, and its
 * first frame.
 *
 *     4 bits track, 32 bits drawn, 28 bits frame
 *
 * Tracks differ in the first, parts of a track in the last, however the numbers fall. What is drawn
 * keeps two attempts at the same part apart, of which one is thrown away.
 */
const TRACK_BITS = 4n
const DRAWN_BITS = 32n
const FRAME_BITS = 28n

/** 51 days at 60 frames a second: no vector of a track runs into the next drawn number. */
const FRAMES_MAX = 2 ** Number(FRAME_BITS)
const TRACKS_MAX = 2 ** Number(TRACK_BITS)
export const DRAWN_MAX = 2 ** Number(DRAWN_BITS)

export type CounterPlace = {
  readonly track: number
  readonly drawn: number
  readonly frames: { readonly start: number; readonly end: number }
}

export function counterOf({ track, drawn, frames }: CounterPlace): Buffer {
  if (frames.end > FRAMES_MAX) throw new Error(`No counter reaches frame ${frames.end}`)
  if (track >= TRACKS_MAX || drawn >= DRAWN_MAX) throw new Error('A counter out of its range')
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(
    (((BigInt(track) << DRAWN_BITS) | BigInt(drawn)) << FRAME_BITS) | BigInt(frames.start),
  )
  return counter
}

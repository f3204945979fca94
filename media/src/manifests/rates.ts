/** How many bits a second pieces of a track are, as HLS and DASH want to know it. */
type Piece = { readonly bytes: number; readonly seconds: number }

const BITS = 8

export const totalSeconds = (pieces: readonly Piece[]) =>
  pieces.reduce((total, { seconds }) => total + seconds, 0)

/** Rounded, as HLS compares it. Players ask for a playlist that grows about this often, so it is at least 1. */
export const targetOf = (longestSeconds: number) => Math.max(1, Math.round(longestSeconds))

/** No piece, rounded, is longer. */
export const targetSeconds = (pieces: readonly Piece[]) =>
  targetOf(pieces.reduce((longest, { seconds }) => Math.max(longest, seconds), 0))

/**
 * The largest rate of neighbouring pieces that together last between half of the target and half as
 * much again (RFC 8216, 4.3.4.2): a last piece of one frame says nothing about what a line must
 * bear.
 */
export function peakRate(pieces: readonly Piece[]): number {
  const target = targetSeconds(pieces)
  let peak = 0
  for (let first = 0; first < pieces.length; first++) {
    let [bytes, seconds] = [0, 0]
    for (const piece of pieces.slice(first, first + PIECES_TOGETHER_MAX)) {
      bytes += piece.bytes
      seconds += piece.seconds
      if (seconds > target * 1.5) break
      if (seconds >= target / 2) peak = Math.max(peak, Math.ceil((bytes * BITS) / seconds))
    }
  }
  return peak || rateOf(pieces)
}

/** Ours all last about as long as the target; more than this many of them are never within its reach. */
const PIECES_TOGETHER_MAX = 8

function rateOf(pieces: readonly Piece[]): number {
  const bytes = pieces.reduce((total, piece) => total + piece.bytes, 0)
  return Math.max(1, Math.ceil((bytes * BITS) / Math.max(totalSeconds(pieces), Number.EPSILON)))
}

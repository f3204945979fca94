/**
 * Who may keep what, and for how long. What came by a pass is one viewer's, until the pass ends: a
 * cache that everybody shares would give it to the next without asking. Our own edge asks, so it
 * may keep more; that is in its configuration and not told here, where any other cache on the way
 * would hear it too.
 */

/** Players ask again after about the length of a segment, and should find what has come meanwhile. */
const GROWING_SECONDS = 2
/** Subtitles may still be added, or the asset deleted. */
const DONE_SECONDS = 60
/** A piece never changes under its name. */
const PIECE_SECONDS = 31_536_000

export type Caching = { readonly 'Cache-Control': string }

/** `secondsLeft` of the viewer's pass; null of `open`, which has no end. */
export const pieceCaching = (secondsLeft: number | null): Caching => ({
  'Cache-Control': `${keptBy(secondsLeft, PIECE_SECONDS)}, immutable`,
})

export const manifestCaching = (secondsLeft: number | null, mayGrow: boolean): Caching => ({
  'Cache-Control': keptBy(secondsLeft, mayGrow ? GROWING_SECONDS : DONE_SECONDS),
})

const keptBy = (secondsLeft: number | null, seconds: number) =>
  secondsLeft === null
    ? `public, max-age=${seconds}`
    : `private, max-age=${Math.min(secondsLeft, seconds)}`

/** How long a film may stand still before a test is told that it got nowhere. */
const STILL_SECONDS_MAX = 45

/** Where a film is: how far, and how much of it was shown. */
type Place = { readonly seconds: number; readonly frames: number }

/**
 * For who watches a film: answers whether it is worth while to go on. It is for as long as something
 * moves, since a busy machine plays slowly.
 */
export function newPatience(): (place: Place) => boolean {
  let last: Place | undefined
  let movedAt = performance.now()
  return (place) => {
    const now = performance.now()
    if (place.seconds !== last?.seconds || place.frames !== last.frames) movedAt = now
    last = place
    return now - movedAt < STILL_SECONDS_MAX * 1000
  }
}

/** A video that makes no progress for this long is considered stalled. */
const STALL_SECONDS_MAX = 45

type Progress = { readonly seconds: number; readonly frames: number }

/**
 * Returns a function that reports whether playback still makes progress. Tests wait for progress instead of a
 * fixed time, because a busy machine plays slowly.
 */
export function newStallDetector(): (progress: Progress) => boolean {
  let last: Progress | undefined
  let movedAt = performance.now()
  return (progress) => {
    const now = performance.now()
    if (progress.seconds !== last?.seconds || progress.frames !== last.frames) movedAt = now
    last = progress
    return now - movedAt < STALL_SECONDS_MAX * 1000
  }
}

/** A line that breaks comes back, mostly. What failed is tried again for as long as that may take. */
import { ApiError } from '../http/errors.ts'
import { backOff, isLater, pause, pauseAfter } from '../http/pauses.ts'
import { said } from '../http/said.ts'
import { StorageError } from './errors.ts'
import type { UploadPause } from './options.ts'

const PATIENCE_SECONDS = 600
/** Who has never been reached is most likely not there at all. */
const FIRST_PATIENCE_SECONDS = 60
/** A refusal may be due to an address that grew old, or to damage on the way; not more than this often. */
const REFUSALS_MAX = 2

export type Line = {
  /** Something got through. */
  readonly alive: () => void
  /** Repeats the work until it succeeds, somebody refuses it, or nothing has got through for too long. */
  readonly through: <Result>(work: (repeats: number) => Promise<Result>) => Promise<Result>
}

export function openLine({
  signal,
  onPause,
  patienceSeconds,
}: {
  readonly signal: AbortSignal
  readonly onPause?: ((pause: UploadPause) => void) | undefined
  readonly patienceSeconds?: number | undefined
}): Line {
  let aliveAt = performance.now()
  const wholePatience = said(patienceSeconds) ?? PATIENCE_SECONDS
  let patience = Math.min(FIRST_PATIENCE_SECONDS, wholePatience)
  const alive = () => {
    aliveAt = performance.now()
    patience = wholePatience
  }
  /** A line that was not used for long has not failed for long. */
  const isWorthWaiting = (error: unknown, beganAt: number) => {
    const askedSeconds = retryAfterSecondsOf(error)
    // Who says when to come back is there.
    if (askedSeconds > 0) patience = wholePatience
    const failedSeconds = (performance.now() - Math.max(aliveAt, beganAt)) / 1000
    return failedSeconds + askedSeconds <= patience
  }

  const through: Line['through'] = async (work) => {
    const beganAt = performance.now()
    let refusals = 0
    for (let repeats = 0; ; repeats++) {
      try {
        signal.throwIfAborted()
        const result = await work(repeats)
        alive()
        return result
      } catch (error) {
        signal.throwIfAborted()
        if (isRefusal(error)) refusals++
        const seconds = pauseBefore(error, repeats)
        const isOver = refusals > REFUSALS_MAX || !isWorthWaiting(error, beganAt)
        if (seconds === undefined || isOver) throw error
        onPause?.({ reason: error as Error, seconds })
        await pause(seconds, signal)
      }
    }
  }
  return { alive, through }
}

/** Storage's words for a line that broke or stood still. */
const brokenLine = new Set(['IncompleteBody', 'RequestTimeout'])
/** An address that grew old is signed anew; bytes that were damaged on the way are sent again. */
const passing = new Set(['AccessDenied', 'BadDigest', 'ExpiredToken'])

const isRefusal = (error: unknown): error is StorageError =>
  error instanceof StorageError && !isLater(error.status) && !brokenLine.has(error.code)

/** Whether another try may end another way. */
export const mayPass = (error: unknown): boolean => pauseBefore(error, 0) !== undefined

/** Undefined if another try would end the same way. */
function pauseBefore(error: unknown, repeats: number): number | undefined {
  if (isRefusal(error)) return passing.has(error.code) ? backOff(repeats) : undefined
  if (error instanceof StorageError) return backOff(repeats)
  // However long the service asks for: patience is the limit.
  return pauseAfter(error, { repeats, isRepeatable: true, limitSeconds: Number.POSITIVE_INFINITY })
}

const retryAfterSecondsOf = (error: unknown) =>
  error instanceof ApiError ? (error.retryAfterSeconds ?? 0) : 0

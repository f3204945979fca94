/** Retries after temporary failures, until there was no progress for too long. */
import { ApiError } from '../http/errors.ts'
import { firstNumber } from '../http/first-number.ts'
import { backoffSeconds, isRetryableStatus, pause, retryDelay } from '../http/retry.ts'
import { StorageError } from './errors.ts'
import type { UploadPause } from './options.ts'

const RETRY_SECONDS = 600
/** Time limit of retries for a server that was never reached, because it probably does not exist. */
const FIRST_RETRY_SECONDS = 60
/** Maximum number of retries of a refused request: a URL may have expired, or bytes may have been corrupted. */
const REFUSALS_MAX = 2

export type Retrier = {
  /** Restarts the time limit: the connection works. */
  readonly progressed: () => void
  /** Repeats `work` until it succeeds, is refused, or there was no progress for too long. */
  readonly run: <Result>(work: (retries: number) => Promise<Result>) => Promise<Result>
}

export function newRetrier({
  signal,
  onPause,
  retryForSeconds,
}: {
  readonly signal: AbortSignal
  readonly onPause?: ((pause: UploadPause) => void) | undefined
  readonly retryForSeconds?: number | undefined
}): Retrier {
  let progressedAt = performance.now()
  const limitSeconds = firstNumber(retryForSeconds) ?? RETRY_SECONDS
  let currentLimitSeconds = Math.min(FIRST_RETRY_SECONDS, limitSeconds)
  const progressed = () => {
    progressedAt = performance.now()
    currentLimitSeconds = limitSeconds
  }
  /** Checks the time limit. Time in which nothing was attempted does not count. */
  const canRetry = (error: unknown, startedAt: number) => {
    const retryAfterSeconds = retryAfterSecondsOf(error)
    // A server that sends Retry-After has been reached.
    if (retryAfterSeconds > 0) currentLimitSeconds = limitSeconds
    const failedSeconds = (performance.now() - Math.max(progressedAt, startedAt)) / 1000
    return failedSeconds + retryAfterSeconds <= currentLimitSeconds
  }

  const run: Retrier['run'] = async (work) => {
    const startedAt = performance.now()
    let refusals = 0
    for (let retries = 0; ; retries++) {
      try {
        signal.throwIfAborted()
        const result = await work(retries)
        progressed()
        return result
      } catch (error) {
        signal.throwIfAborted()
        if (isRefusal(error)) refusals++
        const seconds = delayBefore(error, retries)
        const isOver = refusals > REFUSALS_MAX || !canRetry(error, startedAt)
        if (seconds === undefined || isOver) throw error
        onPause?.({ reason: error as Error, seconds })
        await pause(seconds, signal)
      }
    }
  }
  return { progressed, run }
}

/** Storage's error codes for a connection that broke or stalled. */
const brokenConnectionCodes = new Set(['IncompleteBody', 'RequestTimeout'])
/** Error codes worth a retry: an expired URL is signed again, and corrupted bytes are sent again. */
const retryableCodes = new Set(['AccessDenied', 'BadDigest', 'ExpiredToken'])

const isRefusal = (error: unknown): error is StorageError =>
  error instanceof StorageError && !isRetryableStatus(error.status) && !brokenConnectionCodes.has(error.code)

/** Whether another attempt may succeed. */
export const isRetryable = (error: unknown): boolean => delayBefore(error, 0) !== undefined

/** Delay before the next attempt; undefined if it would fail in the same way. */
function delayBefore(error: unknown, retries: number): number | undefined {
  if (isRefusal(error)) return retryableCodes.has(error.code) ? backoffSeconds(retries) : undefined
  if (error instanceof StorageError) return backoffSeconds(retries)
  // Any Retry-After is accepted here; `canRetry` applies the limit.
  return retryDelay(error, { retries, isRepeatable: true, limitSeconds: Number.POSITIVE_INFINITY })
}

const retryAfterSecondsOf = (error: unknown) => (error instanceof ApiError ? (error.retryAfterSeconds ?? 0) : 0)

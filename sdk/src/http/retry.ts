import { ApiError, ConnectionError } from './errors.ts'

const FIRST_PAUSE_SECONDS = 0.5
const PAUSE_SECONDS_MAX = 8
/** If `Retry-After` is longer than this, the error is thrown immediately. */
const RETRY_AFTER_SECONDS_MAX = 60

/** Statuses worth retrying. Proxies use further 5xx codes, such as 522; 501 is permanent. */
export const isRetryableStatus = (status: number): boolean =>
  status === 408 || status === 429 || (status >= 500 && status !== 501)

/** Whether the error is temporary: a lost connection, or a service that restarts or is overloaded. */
export const isTemporary = (error: unknown): error is ApiError | ConnectionError =>
  error instanceof ConnectionError || (error instanceof ApiError && isRetryableStatus(error.status))

type RetryContext = {
  readonly retries: number
  readonly isRepeatable: boolean
  /** Maximum `Retry-After` to accept (default: one minute). */
  readonly limitSeconds?: number | undefined
}

/** Delay before the next attempt; undefined if retrying would not help or might execute the call twice. */
export function retryDelay(
  error: unknown,
  { retries, isRepeatable, limitSeconds = RETRY_AFTER_SECONDS_MAX }: RetryContext,
): number | undefined {
  if (error instanceof ConnectionError) return isRepeatable ? backoffSeconds(retries) : undefined
  if (!(error instanceof ApiError)) return undefined
  const { status, code, retryAfterSeconds } = error
  const isRefusal = status === 429 || code === 'unavailable' || code === 'idempotency_key_in_use'
  const isWorthIt = isRefusal || (isRepeatable && isTemporary(error))
  if (!isWorthIt || (retryAfterSeconds ?? 0) > limitSeconds) return undefined
  return atLeastRetryAfter(backoffSeconds(retries), error)
}

/** Returns the delay, or `Retry-After` if that is longer. */
export const atLeastRetryAfter = (seconds: number, error: unknown): number =>
  Math.max(seconds, (error instanceof ApiError && error.retryAfterSeconds) || 0)

/** Delay that grows exponentially, with jitter. */
export const backoffSeconds = (retries: number) =>
  Math.min(FIRST_PAUSE_SECONDS * 2 ** retries, PAUSE_SECONDS_MAX) * (0.5 + Math.random() / 2)

/** Timers hold 31 bits of milliseconds (24 days) and fire immediately for more. */
const TIMER_SECONDS_MAX = (2 ** 31 - 1) / 1000

/** Like `setTimeout`, but accepts any delay. Returns a function that cancels it. */
export function runAfter(seconds: number, call: () => void): () => void {
  const timer = setTimeout(call, Math.min(seconds, TIMER_SECONDS_MAX) * 1000)
  return () => clearTimeout(timer)
}

/** Waits this many seconds. Rejects with the signal's reason as soon as the signal is aborted. */
export function pause(seconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      cancelTimer()
      reject(signal?.reason)
    }
    const cancelTimer = runAfter(seconds, () => {
      signal?.removeEventListener('abort', stop)
      resolve()
    })
    if (signal?.aborted) stop()
    else signal?.addEventListener('abort', stop, { once: true })
  })
}

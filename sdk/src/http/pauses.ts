import { ApiError, ConnectionError } from './errors.ts'

const FIRST_PAUSE_SECONDS = 0.5
const PAUSE_SECONDS_MAX = 8
/** Who is asked to stay away for longer is told so instead of being kept waiting. */
const RETRY_AFTER_SECONDS_MAX = 60

/**
 * Statuses that say "later". What stands in front of the service or of storage has names of its own
 * for that, such as 522; only 501 stays as it is.
 */
export const isLater = (status: number): boolean =>
  status === 408 || status === 429 || (status >= 500 && status !== 501)

/**
 * A line that was cut, a service that restarts or is too busy; anything else stays as it is,
 * however often one asks.
 */
export const isPassing = (error: unknown): error is ApiError | ConnectionError =>
  error instanceof ConnectionError || (error instanceof ApiError && isLater(error.status))

type Circumstances = {
  readonly repeats: number
  readonly isRepeatable: boolean
  /** Whoever has more patience than a minute says so. */
  readonly limitSeconds?: number | undefined
}

/**
 * How long to wait before a failed call is repeated; undefined if that would not help, or might do
 * it twice. `isRepeatable` says that doing it twice is the same as once.
 */
export function pauseAfter(
  error: unknown,
  { repeats, isRepeatable, limitSeconds = RETRY_AFTER_SECONDS_MAX }: Circumstances,
): number | undefined {
  if (error instanceof ConnectionError) return isRepeatable ? backOff(repeats) : undefined
  if (!(error instanceof ApiError)) return undefined
  const { status, code, retryAfterSeconds } = error
  const isRefusal = status === 429 || code === 'unavailable' || code === 'idempotency_key_in_use'
  const isWorthIt = isRefusal || (isRepeatable && isPassing(error))
  if (!isWorthIt || (retryAfterSeconds ?? 0) > limitSeconds) return undefined
  return atLeastAsked(backOff(repeats), error)
}

/** No shorter than the service asks for; "at once" and a date that has passed shorten nothing. */
export const atLeastAsked = (seconds: number, error: unknown): number =>
  Math.max(seconds, (error instanceof ApiError && error.retryAfterSeconds) || 0)

/** Ever longer, and never quite the same for two callers that failed together. */
export const backOff = (repeats: number) =>
  Math.min(FIRST_PAUSE_SECONDS * 2 ** repeats, PAUSE_SECONDS_MAX) * (0.5 + Math.random() / 2)

/** Timers count 31 bits of milliseconds, 24 days; with more they ring at once. */
const TIMER_SECONDS_MAX = (2 ** 31 - 1) / 1000

/** Calls it later, however much later; answers how to call it off. */
export function after(seconds: number, call: () => void): () => void {
  const timer = setTimeout(call, Math.min(seconds, TIMER_SECONDS_MAX) * 1000)
  return () => clearTimeout(timer)
}

/** Rejects with the signal's reason as soon as it is aborted. */
export function pause(seconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      callOff()
      reject(signal?.reason)
    }
    const callOff = after(seconds, () => {
      signal?.removeEventListener('abort', stop)
      resolve()
    })
    if (signal?.aborted) stop()
    else signal?.addEventListener('abort', stop, { once: true })
  })
}

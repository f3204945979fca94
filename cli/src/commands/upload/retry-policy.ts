/**
 * Retries while the service is unavailable. The SDK retries while it sends a file; this policy covers other
 * calls and the start of the next file.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError, isTemporary, type UploadPause } from 'reelkeep'

const RETRY_SECONDS = 600
/** Time limit of retries for a service that was never reached, because it probably does not exist. */
const FIRST_RETRY_SECONDS = 60
const PAUSE_SECONDS_MAX = 8

/**
 * A policy that all files of one command share: once one file has reached the service, the longer limit applies to all.
 */
export class RetryPolicy {
  readonly #signal: AbortSignal
  #isReached = false

  constructor(signal: AbortSignal) {
    this.#signal = signal
  }

  readonly reached = (): void => {
    this.#isReached = true
  }

  /** Repeats `work` until it succeeds, is refused, or the service has been unavailable for too long. */
  async run<Result>(
    work: () => Promise<Result>,
    onPause: (pause: UploadPause) => void,
    mayRepeat: () => boolean = () => true,
  ): Promise<Result> {
    const startedAt = performance.now()
    for (let retries = 0; ; retries++) {
      try {
        const result = await work()
        this.reached()
        return result
      } catch (error) {
        this.#signal.throwIfAborted()
        const failedSeconds = (performance.now() - startedAt) / 1000
        const retryAfterSeconds = (error instanceof ApiError && error.retryAfterSeconds) || 0
        const isWorthIt = canRetry({
          isReached: this.#isReached,
          failedSeconds,
          retryAfterSeconds,
        })
        if (!isTemporary(error) || !isWorthIt || !mayRepeat()) throw error
        const seconds = Math.max(Math.min(2 ** retries, PAUSE_SECONDS_MAX), retryAfterSeconds)
        onPause({ reason: error, seconds })
        await this.#pause(seconds)
      }
    }
  }

  async #pause(seconds: number): Promise<void> {
    await sleep(seconds * 1000, undefined, { signal: this.#signal }).catch(() => undefined)
    this.#signal.throwIfAborted()
  }
}

type RetryState = {
  readonly isReached: boolean
  readonly failedSeconds: number
  /** Value of the Retry-After header; 0 if there is none. */
  readonly retryAfterSeconds: number
}

/** Decides whether to retry. A service that sends Retry-After has been reached. */
export function canRetry({ isReached, failedSeconds, retryAfterSeconds }: RetryState): boolean {
  const retryPolicy = isReached || retryAfterSeconds > 0 ? RETRY_SECONDS : FIRST_RETRY_SECONDS
  return failedSeconds + retryAfterSeconds <= retryPolicy
}

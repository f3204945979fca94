/**
 * A service that is away while files are sent. The SDK waits for it while it sends one; what is asked
 * beside that, and the next file, is waited for here, as long.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError, isPassing, type UploadPause } from 'reelkeep'

const PATIENCE_SECONDS = 600
/** Who has never been reached is most likely not there at all. */
const FIRST_PATIENCE_SECONDS = 60
const PAUSE_SECONDS_MAX = 8

/** All of one command share it: what one has reached is there for the others. */
export class Patience {
  readonly #signal: AbortSignal
  #isReached = false

  constructor(signal: AbortSignal) {
    this.#signal = signal
  }

  readonly reached = (): void => {
    this.#isReached = true
  }

  /** Repeats the work until it succeeds, is refused, or the service has been away for too long. */
  async through<Result>(
    work: () => Promise<Result>,
    onPause: (pause: UploadPause) => void,
    mayRepeat: () => boolean = () => true,
  ): Promise<Result> {
    const beganAt = performance.now()
    for (let repeats = 0; ; repeats++) {
      try {
        const result = await work()
        this.reached()
        return result
      } catch (error) {
        this.#signal.throwIfAborted()
        const failedSeconds = (performance.now() - beganAt) / 1000
        const askedSeconds = (error instanceof ApiError && error.retryAfterSeconds) || 0
        const isWorthIt = isWorthWaiting({
          isReached: this.#isReached,
          failedSeconds,
          askedSeconds,
        })
        if (!isPassing(error) || !isWorthIt || !mayRepeat()) throw error
        const seconds = Math.max(Math.min(2 ** repeats, PAUSE_SECONDS_MAX), askedSeconds)
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

type Circumstances = {
  readonly isReached: boolean
  readonly failedSeconds: number
  /** By a service that says when to come back; 0 if none does. */
  readonly askedSeconds: number
}

/** Who says when to come back is there. */
export function isWorthWaiting({ isReached, failedSeconds, askedSeconds }: Circumstances): boolean {
  const patience = isReached || askedSeconds > 0 ? PATIENCE_SECONDS : FIRST_PATIENCE_SECONDS
  return failedSeconds + askedSeconds <= patience
}

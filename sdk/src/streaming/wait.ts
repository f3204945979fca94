import type { Asset, AssetProgress } from '../generated/contract.ts'
import type { Caller } from '../http/call.ts'
import { NotFoundError, WaitTimeoutError } from '../http/errors.ts'
import { firstNumber } from '../http/first-number.ts'
import { atLeastRetryAfter, isTemporary, pause, runAfter } from '../http/retry.ts'
import { subscribe } from './shared-stream.ts'
import { deletedError, failureOf, isBehind, progressOf } from './wait.rules.ts'

/** Poll interval while the stream is connected, in case an event is missed. */
const POLL_SECONDS_WITH_STREAM = 30
/** Maximum poll interval without a stream; the interval grows. */
const POLL_SECONDS_MAX = 10
const POLL_SECONDS_FIRST = 1
/** How long the service may be unavailable before the wait fails. */
const UNAVAILABLE_SECONDS_MAX = 300
/** Default timeout; longer than processing any video takes. */
const WAIT_SECONDS_MAX = 24 * 3600

export type WaitOptions = {
  readonly signal?: AbortSignal | undefined
  /** Total time before a WaitTimeoutError is thrown (default: one day). */
  readonly timeoutSeconds?: number | undefined
  /**
   * Called about once a second during processing; less often without the scope `events:read`. Progress
   * decreases only together with a change of status, when processing restarts.
   */
  readonly onProgress?: ((progress: AssetProgress) => void) | undefined
}

type Goal = { readonly what: string; readonly isDone: (asset: Asset) => boolean }

/**
 * Reads the asset whenever the event stream reports a change. Without a stream (the token lacks `events:read`, too
 * many streams, or a proxy buffers it), it polls every few seconds.
 */
export async function waitUntil(
  caller: Caller,
  id: string,
  { what, isDone }: Goal,
  { signal, timeoutSeconds, onProgress }: WaitOptions = {},
): Promise<Asset> {
  const timeout = new AbortController()
  const seconds = firstNumber(timeoutSeconds) ?? WAIT_SECONDS_MAX
  const timeoutError = new WaitTimeoutError(`Asset ${id} was not ${what} within ${seconds} seconds.`)
  const cancelTimer = runAfter(seconds, () => timeout.abort(timeoutError))
  const stopped = signal ? AbortSignal.any([signal, timeout.signal]) : timeout.signal
  let changes: ChangeWatcher | undefined
  let reported: AssetProgress | undefined
  const report = (next: AssetProgress, isStale = false) => {
    if (isBehind(next, reported, isStale)) return
    reported = next
    onProgress?.(next)
  }
  try {
    for (let polls = 0; ; polls++) {
      const reportedBefore = reported
      const asset = await readAsset(caller, id, stopped).catch((error: unknown) => {
        throw polls > 0 && error instanceof NotFoundError ? deletedError(id) : error
      })
      report(progressOf(asset), reported !== reportedBefore)
      if (isDone(asset)) return asset
      const failure = failureOf(asset)
      if (failure) throw failure
      changes ??= watchChanges(caller, id, stopped, report)
      await changes.next(polls)
    }
  } finally {
    cancelTimer()
    changes?.unsubscribe()
  }
}

/** Reads the asset, and retries while the service is unavailable. */
async function readAsset({ call }: Caller, id: string, signal: AbortSignal): Promise<Asset> {
  const deadline = Date.now() + UNAVAILABLE_SECONDS_MAX * 1000
  for (;;)
    try {
      return await call('readAsset', { params: { asset_id: id } }, { signal })
    } catch (error) {
      signal.throwIfAborted()
      const seconds = atLeastRetryAfter(POLL_SECONDS_FIRST, error)
      if (!isTemporary(error) || Date.now() + seconds * 1000 > deadline) throw error
      await pause(seconds, signal)
    }
}

type ChangeWatcher = {
  readonly next: (polls: number) => Promise<void>
  readonly unsubscribe: () => void
}

/**
 * Waits until the stream reports a change, or until the next poll is due. Opening the stream counts as a change, so
 * changes since the last poll are not missed.
 */
function watchChanges(
  caller: Caller,
  assetId: string,
  stopped: AbortSignal,
  report: (progress: AssetProgress) => void,
): ChangeWatcher {
  let wakeUp = new AbortController()
  let callbackError: { readonly error: unknown } | undefined
  const { isLive, unsubscribe } = subscribe(caller, {
    assetId,
    onChange: () => wakeUp.abort(),
    onProgress: (progress) => {
      try {
        report(progress)
      } catch (error) {
        callbackError ??= { error }
        wakeUp.abort()
      }
    },
  })
  return {
    unsubscribe,
    async next(polls) {
      const withoutStream = Math.min(POLL_SECONDS_FIRST * 1.5 ** polls, POLL_SECONDS_MAX)
      const seconds = isLive() ? POLL_SECONDS_WITH_STREAM : withoutStream
      await pause(seconds, AbortSignal.any([stopped, wakeUp.signal])).catch(() => stopped.throwIfAborted())
      if (callbackError) throw callbackError.error
      wakeUp = new AbortController()
    },
  }
}

/** State of one upload. */
import type { Caller } from '../http/call.ts'
import { firstNumber } from '../http/first-number.ts'
import type { Source } from '../platform/transfer.ts'
import type { ResumeOptions } from './options.ts'
import { newProgress, type Progress } from './progress.ts'
import { newRetrier, type Retrier } from './retrier.ts'
import { type SessionCalls, sessionCalls } from './session-calls.ts'

/**
 * Default idle timeout, longer than any storage takes to respond. Slow connections get more time for the bytes
 * in flight.
 */
const IDLE_SECONDS = 60

export type Upload = {
  readonly source: Source
  readonly calls: SessionCalls
  readonly progress: Progress
  /** Retries API calls. Separate from `storageRetrier`, because storage may be unavailable while the API is not. */
  readonly serviceRetrier: Retrier
  readonly storageRetrier: Retrier
  readonly idleSeconds: number
  readonly partsAtOnce: number | undefined
  /** Aborted by the caller or by `stop`. */
  readonly signal: AbortSignal
  readonly stop: (reason: unknown) => void
}

export function openUpload(caller: Caller, source: Source, uuid: string, options: ResumeOptions): Upload {
  const { onPause, onProgress, partsAtOnce, retryForSeconds, timeoutSeconds } = options
  const stopping = new AbortController()
  const signal = options.signal ? AbortSignal.any([options.signal, stopping.signal]) : stopping.signal
  const retryOptions = { signal, onPause, retryForSeconds }
  const session = { uuid, fileBytes: source.bytes }
  const serviceRetrier = newRetrier(retryOptions)
  return {
    source,
    calls: sessionCalls(caller, serviceRetrier, { signal, timeoutSeconds, retriesMax: 0 }, session),
    progress: newProgress(source.bytes, onProgress),
    serviceRetrier,
    storageRetrier: newRetrier(retryOptions),
    idleSeconds: firstNumber(timeoutSeconds) ?? IDLE_SECONDS,
    partsAtOnce,
    signal,
    stop: (reason) => stopping.abort(reason),
  }
}

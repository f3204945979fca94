/** One upload, with all that its steps need. */
import type { Caller } from '../http/call.ts'
import { said } from '../http/said.ts'
import type { Source } from '../platform/transfer.ts'
import type { ResumeOptions } from './options.ts'
import { type Line, openLine } from './patience.ts'
import { newProgress, type Progress } from './progress.ts'
import { type SessionCalls, sessionCalls } from './session-calls.ts'

/** Longer than any storage takes to answer; a slow line has more, for what is under way on it. */
const IDLE_SECONDS = 60

export type Upload = {
  readonly source: Source
  readonly calls: SessionCalls
  readonly progress: Progress
  /** The service may be there while storage is not, so each has a line of its own. */
  readonly serviceLine: Line
  readonly storageLine: Line
  readonly idleSeconds: number
  readonly partsAtOnce: number | undefined
  /** Aborted by the caller, or by `stop`. */
  readonly signal: AbortSignal
  readonly stop: (reason: unknown) => void
}

export function openUpload(
  caller: Caller,
  source: Source,
  uuid: string,
  options: ResumeOptions,
): Upload {
  const { onPause, onProgress, partsAtOnce, patienceSeconds, timeoutSeconds } = options
  const stopping = new AbortController()
  const signal = options.signal
    ? AbortSignal.any([options.signal, stopping.signal])
    : stopping.signal
  const manner = { signal, onPause, patienceSeconds }
  const session = { uuid, fileBytes: source.bytes }
  const serviceLine = openLine(manner)
  return {
    source,
    calls: sessionCalls(caller, serviceLine, { signal, timeoutSeconds, retriesMax: 0 }, session),
    progress: newProgress(source.bytes, onProgress),
    serviceLine,
    storageLine: openLine(manner),
    idleSeconds: said(timeoutSeconds) ?? IDLE_SECONDS,
    partsAtOnce,
    signal,
    stop: (reason) => stopping.abort(reason),
  }
}

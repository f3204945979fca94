/** Sends one request to storage: with XMLHttpRequest if available, because `fetch` does not report upload progress. */
import { ConnectionError, TimeoutError } from '../http/errors.ts'
import { runAfter } from '../http/retry.ts'
import { StorageError } from '../uploads/errors.ts'
import { limitSeconds, watchIdle } from './time-limits.ts'
import type { StorageResponse, TransferOptions } from './transfer.ts'

/** Time limit of the request that finds out why an upload was blocked. */
const CORS_PROBE_SECONDS_MAX = 10

type OutgoingRequest = {
  readonly method: string
  readonly url: string
  readonly body: Blob | FormData
  /** Number of bytes of the file in the body. */
  readonly bytes: number
}

/** State of storage that all requests of one upload share. */
export type StorageState = {
  hasAcceptedBytes: boolean
  /** True if the last request failed before storage had accepted any bytes. */
  hasFailedEarly: boolean
}

export async function sendBody(
  outgoing: OutgoingRequest,
  options: TransferOptions,
  storageState: StorageState,
): Promise<StorageResponse> {
  options.signal.throwIfAborted()
  return typeof XMLHttpRequest === 'undefined'
    ? sendByFetch(outgoing, options)
    : sendByXhr(outgoing, options, storageState)
}

function sendByXhr(
  { method, url, body }: OutgoingRequest,
  { onSent, signal, idleSeconds }: TransferOptions,
  storageState: StorageState,
) {
  // A lost connection can fail all parallel requests at once. A CORS error is suspected only if a request fails that
  // started after such a failure.
  const hadFailedEarly = storageState.hasFailedEarly
  return new Promise<StorageResponse>((resolve, reject) => {
    const request = new XMLHttpRequest()
    const onIdle = (reason: unknown) => {
      reject(reason)
      request.abort()
    }
    const watch = watchIdle(url, idleSeconds, onIdle)
    const stop = () => onIdle(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
    request.onloadend = () => {
      watch.end()
      signal.removeEventListener('abort', stop)
    }
    request.upload.onprogress = ({ loaded }) => {
      watch.progressed(loaded)
      storageState.hasAcceptedBytes ||= loaded > 0
      try {
        onSent(loaded)
      } catch (error) {
        onIdle(error)
      }
    }
    request.onload = () => {
      storageState.hasFailedEarly = false
      resolve({ status: request.status, text: request.responseText })
    }
    request.onerror = () => {
      const isProbablyCors = hadFailedEarly && !storageState.hasAcceptedBytes
      storageState.hasFailedEarly = true
      if (isProbablyCors) explainBlockedRequest(url, signal).then(reject, () => reject(connectionError(url)))
      else reject(connectionError(url))
    }
    request.open(method, url)
    request.send(body)
  })
}

/**
 * Finds out why a request was blocked. A `no-cors` request needs no CORS permission: if it succeeds, the
 * permission is missing.
 */
async function explainBlockedRequest(url: string, signal: AbortSignal): Promise<Error> {
  const { origin } = new URL(url)
  const limit = AbortSignal.timeout(CORS_PROBE_SECONDS_MAX * 1000)
  await fetch(origin, { mode: 'no-cors', signal: AbortSignal.any([signal, limit]) })
  return new StorageError(
    `${origin} does not accept uploads from pages of ${location.origin}. The operator must run \`setup-storage\` with this origin in UPLOAD_ORIGINS.`,
    { status: 0, code: 'OriginNotAllowed' },
  )
}

async function sendByFetch(outgoing: OutgoingRequest, options: TransferOptions): Promise<StorageResponse> {
  const response = await fetchWithTimeout(outgoing, options)
  if (response.status < 300) options.onSent(outgoing.bytes)
  return response
}

/**
 * Limits the total time: `fetch` does not report progress, so a slow connection cannot be distinguished from a
 * lost one.
 */
async function fetchWithTimeout(
  { method, url, body, bytes }: OutgoingRequest,
  { signal, idleSeconds }: TransferOptions,
) {
  const seconds = limitSeconds(idleSeconds, bytes)
  const timeout = new AbortController()
  const cancelTimer = runAfter(seconds, () => timeout.abort())
  try {
    const both = AbortSignal.any([signal, timeout.signal])
    const response = await fetch(url, { method, body, signal: both })
    return { status: response.status, text: await response.text() }
  } catch (error) {
    signal.throwIfAborted()
    throw timeout.signal.aborted ? timeoutError(url, seconds) : connectionError(url, error)
  } finally {
    cancelTimer()
  }
}

const connectionError = (url: string, cause?: unknown) =>
  new ConnectionError(`Lost the connection to ${new URL(url).host}.`, { cause })

const timeoutError = (url: string, seconds: number) =>
  new TimeoutError(`${new URL(url).host} did not accept the upload within ${seconds} seconds.`)

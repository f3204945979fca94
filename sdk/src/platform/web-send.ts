/**
 * One request to storage: by XMLHttpRequest where there is one, because `fetch` does not tell how
 * much has been sent.
 */
import { ConnectionError, TimeoutError } from '../http/errors.ts'
import { after } from '../http/pauses.ts'
import { StorageError } from '../uploads/errors.ts'
import { limitSeconds, watchOver } from './time-limits.ts'
import type { Manner, StorageAnswer } from './transfer.ts'

/** The question why nothing was taken is not worth more. */
const WHY_SECONDS_MAX = 10

type Outgoing = {
  readonly method: string
  readonly url: string
  readonly body: Blob | FormData
  /** Of the file, as far as it is in the body. */
  readonly bytes: number
}

/** What was learnt of storage while a file is sent. */
export type Acquaintance = {
  hasTakenBytes: boolean
  /** The last request that ended was lost before storage had taken anything. */
  isInDoubt: boolean
}

export async function sendBody(
  outgoing: Outgoing,
  manner: Manner,
  acquaintance: Acquaintance,
): Promise<StorageAnswer> {
  manner.signal.throwIfAborted()
  return typeof XMLHttpRequest === 'undefined'
    ? byFetch(outgoing, manner)
    : byXhr(outgoing, manner, acquaintance)
}

function byXhr(
  { method, url, body }: Outgoing,
  { onSent, signal, idleSeconds }: Manner,
  acquaintance: Acquaintance,
) {
  // A line may be cut before its first byte, under all requests at once: only one that began after that is proof.
  const wasInDoubt = acquaintance.isInDoubt
  return new Promise<StorageAnswer>((resolve, reject) => {
    const request = new XMLHttpRequest()
    const giveUp = (reason: unknown) => {
      reject(reason)
      request.abort()
    }
    const watch = watchOver(url, idleSeconds, giveUp)
    const stop = () => giveUp(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
    request.onloadend = () => {
      watch.end()
      signal.removeEventListener('abort', stop)
    }
    request.upload.onprogress = ({ loaded }) => {
      watch.moved(loaded)
      acquaintance.hasTakenBytes ||= loaded > 0
      try {
        onSent(loaded)
      } catch (error) {
        giveUp(error)
      }
    }
    request.onload = () => {
      acquaintance.isInDoubt = false
      resolve({ status: request.status, text: request.responseText })
    }
    request.onerror = () => {
      const isProof = wasInDoubt && !acquaintance.hasTakenBytes
      acquaintance.isInDoubt = true
      if (isProof) whyNotBegun(url, signal).then(reject, () => reject(lost(url)))
      else reject(lost(url))
    }
    request.open(method, url)
    request.send(body)
  })
}

/** A request that reads nothing needs no permission: if it gets through, permission is what was missing. */
async function whyNotBegun(url: string, signal: AbortSignal): Promise<Error> {
  const { origin } = new URL(url)
  const limit = AbortSignal.timeout(WHY_SECONDS_MAX * 1000)
  await fetch(origin, { mode: 'no-cors', signal: AbortSignal.any([signal, limit]) })
  return new StorageError(
    `${origin} is there, but takes nothing from pages of ${location.origin}: whoever runs the service runs \`setup-storage\` with this origin in UPLOAD_ORIGINS.`,
    { status: 0, code: 'OriginNotAllowed' },
  )
}

async function byFetch(outgoing: Outgoing, manner: Manner): Promise<StorageAnswer> {
  const answer = await fetched(outgoing, manner)
  if (answer.status < 300) manner.onSent(outgoing.bytes)
  return answer
}

/**
 * Tells only at the end how much was sent, and so cannot tell a slow line from one that is gone:
 * its time is limited as a whole.
 */
async function fetched({ method, url, body, bytes }: Outgoing, { signal, idleSeconds }: Manner) {
  const seconds = limitSeconds(idleSeconds, bytes)
  const late = new AbortController()
  const callOff = after(seconds, () => late.abort())
  try {
    const both = AbortSignal.any([signal, late.signal])
    const response = await fetch(url, { method, body, signal: both })
    return { status: response.status, text: await response.text() }
  } catch (error) {
    signal.throwIfAborted()
    throw late.signal.aborted ? tooLong(url, seconds) : lost(url, error)
  } finally {
    callOff()
  }
}

const lost = (url: string, cause?: unknown) =>
  new ConnectionError(`${new URL(url).host} cannot be reached, or hung up.`, { cause })

const tooLong = (url: string, seconds: number) =>
  new TimeoutError(`${new URL(url).host} did not take it within ${seconds} seconds.`)

/** Multipart upload: several parts in parallel, with retries; a resumed upload sends only the missing parts. */
import { Problem } from '../shared/api.js'
import { putPart, StorageUnreachable } from './storage.js'

const PARALLEL_PARTS = 3

/** Together with the pauses in between, these attempts tolerate about half a minute without a connection. */
const ATTEMPTS_PER_PART_MAX = 6
const PAUSE_SECONDS_MAX = 10

/** `onSent` receives the number of bytes sent, `onArrived` the number of received parts and their total. */
export async function sendInParts(api, uuid, file, { onSent, onArrived, signal }) {
  const plan = await readPlan(api, uuid, file)
  const sentOf = new Map(plan.parts.map(({ number, bytes }) => [number, bytes]))
  const reportSent = (number, bytes) => {
    sentOf.set(number, bytes)
    onSent([...sentOf.values()].reduce((sum, each) => sum + each, 0))
  }
  const missing = missingNumbers(plan)
  let arrived = plan.part_count - missing.length
  onArrived(arrived, plan.part_count)

  // If a part fails after all attempts, the other parts are stopped.
  const failing = new AbortController()
  const either = AbortSignal.any([signal, failing.signal])
  const work = async () => {
    for (let number = missing.shift(); number !== undefined; number = missing.shift()) {
      const part = { number, size: plan.part_size_bytes }
      await sendPart(api, uuid, file, part, {
        onSent: (bytes) => reportSent(part.number, bytes),
        signal: either,
      })
      arrived += 1
      onArrived(arrived, plan.part_count)
    }
  }
  const workers = Array.from({ length: PARALLEL_PARTS }, work)
  try {
    await Promise.all(workers)
  } catch (error) {
    failing.abort(error)
    await Promise.allSettled(workers)
    throw error
  }
}

/** Reads part sizes and received parts. A new upload has no received parts yet. */
async function readPlan(api, uuid, file) {
  try {
    return await api.listParts(uuid)
  } catch (error) {
    const isFirstTime = error instanceof Problem && error.document.code === 'upload_not_in_parts'
    if (!isFirstTime) throw error
    return { ...(await api.signParts(uuid, file.size, [1])), parts: [] }
  }
}

function missingNumbers({ part_count, parts }) {
  const arrived = new Set(parts.map(({ number }) => number))
  const all = Array.from({ length: part_count }, (_, index) => index + 1)
  return all.filter((number) => !arrived.has(number))
}

/** Signs each part right before sending it, so that its URL has not expired. */
async function sendPart(api, uuid, file, { number, size }, { onSent, signal }) {
  const bytes = file.slice((number - 1) * size, number * size)
  for (let attempt = 1; ; attempt++) {
    try {
      const signed = await signPart(api, uuid, file, number)
      await putPart(signed.parts[0].url, bytes, { onSent, signal })
      onSent(bytes.size)
      return
    } catch (error) {
      onSent(0)
      if (attempt === ATTEMPTS_PER_PART_MAX || !shouldRetry(error, signal)) throw error
      await pause(Math.min(2 ** (attempt - 1), PAUSE_SECONDS_MAX), signal)
    }
  }
}

/** Renews the session if it expired during a long upload; received parts are kept. */
async function signPart(api, uuid, file, number) {
  try {
    return await api.signParts(uuid, file.size, [number])
  } catch (error) {
    const mayHaveExpired = error instanceof Problem && error.document.code === 'upload_session_closed'
    if (!mayHaveExpired) throw error
    // This call throws if the session cannot be renewed.
    await api.renewSession(uuid)
    return api.signParts(uuid, file.size, [number])
  }
}

function shouldRetry(error, signal) {
  if (signal.aborted || error instanceof Problem) return false
  return !(error instanceof StorageUnreachable && error.reason === 'closed')
}

function pause(seconds, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, seconds * 1000)
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer)
        reject(signal.reason)
      },
      { once: true },
    )
  })
}

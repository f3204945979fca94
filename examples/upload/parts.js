/** A file in parts: three at a time, each again if it fails, and after a break only what is missing. */
import { Problem } from '../shared/api.js'
import { putPart, StorageUnreachable } from './storage.js'

const AT_ONCE = 3

/** With the pauses between them, a line may be gone for half a minute. */
const TRIES_PER_PART_MAX = 6
const PAUSE_SECONDS_MAX = 10

/** `onSent` is told the bytes that are there or on their way, `onArrived` how many parts are there. */
export async function sendInParts(api, uuid, file, { onSent, onArrived, signal }) {
  const plan = await readPlan(api, uuid, file)
  const sentOf = new Map(plan.parts.map(({ number, bytes }) => [number, bytes]))
  const tellSent = (number, bytes) => {
    sentOf.set(number, bytes)
    onSent([...sentOf.values()].reduce((sum, each) => sum + each, 0))
  }
  const missing = missingNumbers(plan)
  let arrived = plan.part_count - missing.length
  onArrived(arrived, plan.part_count)

  // One that fails for good stops the others.
  const failing = new AbortController()
  const either = AbortSignal.any([signal, failing.signal])
  const work = async () => {
    for (let number = missing.shift(); number !== undefined; number = missing.shift()) {
      const part = { number, size: plan.part_size_bytes }
      await sendPart(api, uuid, file, part, {
        onSent: (bytes) => tellSent(part.number, bytes),
        signal: either,
      })
      arrived += 1
      onArrived(arrived, plan.part_count)
    }
  }
  const workers = Array.from({ length: AT_ONCE }, work)
  try {
    await Promise.all(workers)
  } catch (error) {
    failing.abort(error)
    await Promise.allSettled(workers)
    throw error
  }
}

/** How the file is cut, and which parts have arrived: none, if none was ever signed. */
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

/** Signed right before it is sent, so its address is never too old. */
async function sendPart(api, uuid, file, { number, size }, { onSent, signal }) {
  const bytes = file.slice((number - 1) * size, number * size)
  for (let tries = 1; ; tries++) {
    try {
      const signed = await signPart(api, uuid, file, number)
      await putPart(signed.parts[0].url, bytes, { onSent, signal })
      onSent(bytes.size)
      return
    } catch (error) {
      onSent(0)
      if (tries === TRIES_PER_PART_MAX || !isWorthAnotherTry(error, signal)) throw error
      await pause(Math.min(2 ** (tries - 1), PAUSE_SECONDS_MAX), signal)
    }
  }
}

/** A long upload outlives its session's time: that is renewed, and what has arrived stays. */
async function signPart(api, uuid, file, number) {
  try {
    return await api.signParts(uuid, file.size, [number])
  } catch (error) {
    const mayHaveRunOut =
      error instanceof Problem && error.document.code === 'upload_session_closed'
    if (!mayHaveRunOut) throw error
    // Refused as well, and says why, if the session is over for good.
    await api.renewSession(uuid)
    return api.signParts(uuid, file.size, [number])
  }
}

function isWorthAnotherTry(error, signal) {
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

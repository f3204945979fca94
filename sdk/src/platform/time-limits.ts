/** Idle timeout of requests to storage. */
import { TimeoutError } from '../http/errors.ts'
import { runAfter } from '../http/retry.ts'

/** Lowest rate per request that still counts as working, even if several parts share the connection. */
const MIN_BYTES_PER_SECOND = 32 * 1024

/**
 * Maximum number of bytes that may be buffered and not yet sent: the default maximum of a Linux socket buffer
 * (4 MiB) plus one chunk. The operating system does not report how much of the buffer has been sent.
 */
const IN_FLIGHT_BYTES_MAX = 4.5 * 1024 ** 2

/** Returns the idle timeout plus the time that a slow connection needs for the bytes in flight. */
export const limitSeconds = (idleSeconds: number, bytesInFlight: number): number =>
  Math.ceil(idleSeconds + bytesInFlight / MIN_BYTES_PER_SECOND)

export type IdleWatch = {
  /** Restarts the timeout; `bufferedBytes` of this request have been passed to the socket so far. */
  readonly progressed: (bufferedBytes: number) => void
  readonly end: () => void
}

/** Calls `onIdle` when a request makes no progress. */
export function watchIdle(url: string, idleSeconds: number, onIdle: (reason: TimeoutError) => void): IdleWatch {
  let [cancelTimer, isOver] = [() => {}, false]
  const progressed = (bufferedBytes: number) => {
    cancelTimer()
    // The last chunk may be accepted after the response; this must not start another timer.
    if (isOver) return
    const seconds = limitSeconds(idleSeconds, Math.min(bufferedBytes, IN_FLIGHT_BYTES_MAX))
    const reason = `The upload to ${new URL(url).host} made no progress for ${seconds} seconds.`
    cancelTimer = runAfter(seconds, () => onIdle(new TimeoutError(reason)))
  }
  progressed(0)
  const end = () => {
    isOver = true
    cancelTimer()
  }
  return { progressed, end }
}

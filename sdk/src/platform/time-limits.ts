/** How long a request to storage may stand still before its line is taken for dead. */
import { TimeoutError } from '../http/errors.ts'
import { after } from '../http/pauses.ts'

/** Of one request: far slower than a line that is of use, even if several parts share it. */
const SLOWEST_BYTES_A_SECOND = 32 * 1024

/**
 * What lies between a program and the line: the four MiB that Linux holds ready for one unless told
 * otherwise, and a piece of the file. The system takes the next piece only when it has room for it,
 * and tells nobody how much of the last ones has gone out.
 */
const IN_FLIGHT_BYTES_MAX = 4.5 * 1024 ** 2

/** A slow line is given the time that it needs for what is under way. */
export const limitSeconds = (idleSeconds: number, bytesInFlight: number): number =>
  Math.ceil(idleSeconds + bytesInFlight / SLOWEST_BYTES_A_SECOND)

export type Watch = {
  /** Something did; so many bytes of this request have been handed over by now. */
  readonly moved: (handedOverBytes: number) => void
  readonly end: () => void
}

/** Gives a request up on which nothing moves. */
export function watchOver(
  url: string,
  idleSeconds: number,
  giveUp: (reason: TimeoutError) => void,
): Watch {
  let [callOff, isOver] = [() => {}, false]
  const moved = (handedOverBytes: number) => {
    callOff()
    // A last piece may be taken over after the answer; nobody would call that timer off.
    if (isOver) return
    const seconds = limitSeconds(idleSeconds, Math.min(handedOverBytes, IN_FLIGHT_BYTES_MAX))
    const reason = `Nothing moved to ${new URL(url).host} for ${seconds} seconds.`
    callOff = after(seconds, () => giveUp(new TimeoutError(reason)))
  }
  moved(0)
  const end = () => {
    isOver = true
    callOff()
  }
  return { moved, end }
}

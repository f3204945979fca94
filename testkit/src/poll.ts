import { setTimeout as sleep } from 'node:timers/promises'

const PAUSE_MILLISECONDS = 50

/** Calls `find` until it returns something other than false or undefined. Throws after the time limit. */
export async function poll<Found>(
  what: string,
  seconds: number,
  find: () => Promise<Found | false | undefined> | Found | false | undefined,
): Promise<Found> {
  const deadline = performance.now() + seconds * 1000
  for (;;) {
    const found = await find()
    if (found !== false && found !== undefined) return found
    if (performance.now() > deadline) throw new Error(`Timeout waiting for ${what}`)
    await sleep(PAUSE_MILLISECONDS)
  }
}

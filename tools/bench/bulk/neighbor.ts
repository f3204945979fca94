/** Requests of a small organization, one after the other, while another organization runs a bulk operation. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Caller } from '@reelkeep/testkit'

/** Pause between two requests, so that they use little of the machine themselves. */
const PAUSE_MS = 20

/** Sends requests until `signal` is aborted, and returns their durations in milliseconds. */
export async function sendRequests(caller: Caller, assets: readonly string[], signal: AbortSignal): Promise<number[]> {
  const times: number[] = []
  for (let number = 0; !signal.aborted; number++) {
    const asset = `assets/${assets[number % assets.length]}/`
    const requests = [
      () => caller.get(asset),
      () => caller.get('assets/?limit=20'),
      () => caller.patch(asset, { description: `Description ${number}` }),
    ]
    const start = performance.now()
    const response = await requests[number % requests.length]?.()
    times.push(performance.now() - start)
    if (response?.status !== 200) throw new Error(`The neighbor got ${response?.status}: ${response?.text}`)
    await sleep(PAUSE_MS)
  }
  return times
}

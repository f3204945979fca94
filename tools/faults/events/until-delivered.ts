import { setTimeout as sleep } from 'node:timers/promises'
import type { events } from '@reelkeep/contract'
import { missingAt } from './event-invariants.ts'
import type { EventReceiver } from './event-receiver.ts'

/** Waits until a receiver has received all events of a log that it subscribes to, or the time limit passes. */
export async function untilTold(
  receiver: EventReceiver,
  types: readonly string[],
  log: readonly events.Event[],
  deadline: number,
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const look = () => {
    if (missingAt(receiver, types, log).length === 0) resolve()
  }
  receiver.onArrival = look
  look()
  const patience = new AbortController()
  const { signal } = patience
  const over = sleep(Math.max(0, deadline - performance.now()), undefined, { signal })
  await Promise.race([promise, over.catch(() => {})])
  patience.abort()
  receiver.onArrival = () => {}
}

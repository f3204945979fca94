/** Invariants of an organization's events after all faults have ended. */
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { events } from '@reelkeep/contract'
import { isNextNumber } from './event-log.ts'
import type { Arrival, EventReceiver } from './event-receiver.ts'
import { type Resources, subjectOf } from './event-replay.ts'

const POLL_MILLISECONDS = 50

/** Sequence numbers start at 1 without a gap, except one for each failover; no event appears twice. */
export function sequenceViolations(log: readonly events.Event[], failovers = 0): string[] {
  const violations = log.flatMap(({ number }, index) =>
    isNextNumber(number, log[index - 1]?.number ?? 0)
      ? []
      : [`number ${number} is at position ${index + 1} of the log`],
  )
  const gaps = log.filter(({ number }, index) => number > (log[index - 1]?.number ?? 0) + 1).length
  if (gaps > failovers) violations.push(`gaps in the log: ${gaps}, failovers: ${failovers}`)
  const ids = new Set(log.map(({ id }) => id))
  if (ids.size < log.length) violations.push(`${log.length - ids.size} events are in the log twice`)
  return violations.slice(0, 1)
}

/** The current resources must equal the state derived from the log. */
export function resourceViolations(replayed: Resources, current: Resources): string[] {
  return [...new Set([...replayed.keys(), ...current.keys()])].flatMap((resource) =>
    replayed.get(resource) === current.get(resource)
      ? []
      : [`${resource} is ${current.get(resource)}, but ${replayed.get(resource)} according to the log`],
  )
}

const isSubscribed = ({ types }: EventReceiver, { type }: events.Event): boolean =>
  types.length === 0 ||
  types.some((filter) => (filter.endsWith('*') ? type.startsWith(filter.slice(0, -1)) : filter === type))

/** Returns the events that the receiver subscribes to but has not received. */
export function missingAt(receiver: EventReceiver, log: readonly events.Event[]): events.Event[] {
  const arrived = new Set(receiver.arrivals.map(({ event }) => event.id))
  return log.filter((event) => isSubscribed(receiver, event) && !arrived.has(event.id))
}

/** Waits until the receiver has received all events of the log that it subscribes to, or the time limit passes. */
export async function waitUntilDelivered(
  receiver: EventReceiver,
  log: readonly events.Event[],
  deadline: number,
): Promise<void> {
  while (missingAt(receiver, log).length > 0 && performance.now() < deadline) await sleep(POLL_MILLISECONDS)
}

/** Every arrival equals the event in the log, was subscribed to, and came in order. */
export function deliveryViolations(receiver: EventReceiver, log: readonly events.Event[]): string[] {
  const { arrivals, violations } = receiver
  const byId = new Map(log.map((event) => [event.id, event]))
  const unexpected = arrivals.flatMap(({ event }) => {
    if (!isDeepStrictEqual(byId.get(event.id), event)) {
      return [`not in the log: ${JSON.stringify(event)}`]
    }
    return isSubscribed(receiver, event) ? [] : [`not subscribed to: ${JSON.stringify(event)}`]
  })
  const subscribed = log.filter((event) => isSubscribed(receiver, event))
  return [...violations, ...unexpected, ...orderViolations(arrivals, subscribed)]
}

/**
 * An event of a subject may arrive only after the previous event of that subject was accepted. Repetitions are allowed.
 * An event that never arrived is reported as missing, not as out of order.
 */
function orderViolations(arrivals: readonly Arrival[], subscribed: readonly events.Event[]): string[] {
  const arrivalsOf = Map.groupBy(arrivals, ({ event }) => event.id)
  const bySubject = Map.groupBy(subscribed, subjectOf)
  return [...bySubject].flatMap(([subject, inOrder]) =>
    inOrder.slice(1).flatMap(({ id, number }, index) => {
      const before = inOrder[index]
      const arrivedAt = Math.min(...(arrivalsOf.get(id)?.map(({ moment }) => moment) ?? []))
      const accepted = arrivalsOf.get(before?.id ?? '')?.map(({ acceptedAt }) => acceptedAt)
      const isInOrder = accepted?.some((moment) => moment !== undefined && moment < arrivedAt)
      return isInOrder || arrivedAt === Number.POSITIVE_INFINITY
        ? []
        : [`${number} of ${subject} arrived before ${before?.number} was accepted`]
    }),
  )
}

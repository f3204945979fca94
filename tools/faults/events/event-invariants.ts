/** Invariants of an organization's events after all faults have ended. */
import { isDeepStrictEqual } from 'node:util'
import type { events } from '@reelkeep/contract'
import type { Arrival, EventReceiver } from './event-receiver.ts'
import { type Holdings, subjectOf } from './event-replay.ts'

/** Sequence numbers start at 1 without a gap; no event appears twice. */
export function numberingFaults(log: readonly events.Event[]): string[] {
  const faults = log.flatMap(({ number }, index) =>
    number === index + 1 ? [] : [`number ${number} is at position ${index + 1} of the log`],
  )
  const ids = new Set(log.map(({ id }) => id))
  if (ids.size < log.length) faults.push(`${log.length - ids.size} events are in the log twice`)
  return faults.slice(0, 1)
}

/** The current resources must equal the state derived from the log. */
export function holdingFaults(told: Holdings, held: Holdings): string[] {
  return [...new Set([...told.keys(), ...held.keys()])].flatMap((thing) =>
    told.get(thing) === held.get(thing)
      ? []
      : [`${thing} is ${held.get(thing)}, but ${told.get(thing)} according to the log`],
  )
}

const isWanted = (types: readonly string[], type: string): boolean =>
  types.length === 0 ||
  types.some((wish) => (wish.endsWith('*') ? type.startsWith(wish.slice(0, -1)) : wish === type))

/** Events that the receiver subscribes to and has not received. */
export function missingAt(
  { arrivals }: EventReceiver,
  types: readonly string[],
  log: readonly events.Event[],
): events.Event[] {
  const arrived = new Set(arrivals.map(({ event }) => event.id))
  return log.filter(({ id, type }) => isWanted(types, type) && !arrived.has(id))
}

/** Every arrival equals the event in the log, was subscribed to, and came in order. */
export function arrivalFaults(
  { arrivals, faults }: EventReceiver,
  types: readonly string[],
  log: readonly events.Event[],
): string[] {
  const byId = new Map(log.map((event) => [event.id, event]))
  const strange = arrivals.flatMap(({ event }) => {
    if (!isDeepStrictEqual(byId.get(event.id), event)) {
      return [`not in the log: ${JSON.stringify(event)}`]
    }
    return isWanted(types, event.type) ? [] : [`not subscribed to: ${JSON.stringify(event)}`]
  })
  const wanted = log.filter(({ type }) => isWanted(types, type))
  return [...faults, ...strange, ...orderFaults(arrivals, wanted)]
}

/**
 * Events of one subject arrive only after the previous one was accepted. Repetitions are allowed; an event that never
 * arrived is reported as missing, not as out of order.
 */
function orderFaults(arrivals: readonly Arrival[], wanted: readonly events.Event[]): string[] {
  const arrivalsOf = Map.groupBy(arrivals, ({ event }) => event.id)
  const bySubject = Map.groupBy(wanted, subjectOf)
  return [...bySubject].flatMap(([subject, inOrder]) =>
    inOrder.slice(1).flatMap(({ id, number }, index) => {
      const before = inOrder[index]
      const came = Math.min(...(arrivalsOf.get(id)?.map(({ moment }) => moment) ?? []))
      const accepted = arrivalsOf.get(before?.id ?? '')?.map(({ acceptedAt }) => acceptedAt)
      const isInTurn = accepted?.some((moment) => moment !== undefined && moment < came)
      return isInTurn || came === Number.POSITIVE_INFINITY
        ? []
        : [`${number} of ${subject} arrived before ${before?.number} was accepted`]
    }),
  )
}

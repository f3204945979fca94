/** What must be true of an organization's events once all is well again, whatever was killed meanwhile. */
import { isDeepStrictEqual } from 'node:util'
import type { events } from '@reelkeep/contract'
import type { Arrival, EventReceiver } from './event-receiver.ts'
import { type Holdings, subjectOf } from './event-replay.ts'

/** Numbers from one on, without a gap; no event twice. */
export function numberingFaults(log: readonly events.Event[]): string[] {
  const faults = log.flatMap(({ number }, index) =>
    number === index + 1 ? [] : [`number ${number} stands at place ${index + 1} of the log`],
  )
  const ids = new Set(log.map(({ id }) => id))
  if (ids.size < log.length) faults.push(`${log.length - ids.size} events are in the log twice`)
  return faults.slice(0, 1)
}

/** What is there must be what the log tells, to the last title. */
export function holdingFaults(told: Holdings, held: Holdings): string[] {
  return [...new Set([...told.keys(), ...held.keys()])].flatMap((thing) =>
    told.get(thing) === held.get(thing)
      ? []
      : [`${thing} is ${held.get(thing)}, and by the log ${told.get(thing)}`],
  )
}

const isWanted = (types: readonly string[], type: string): boolean =>
  types.length === 0 ||
  types.some((wish) => (wish.endsWith('*') ? type.startsWith(wish.slice(0, -1)) : wish === type))

/** What the receiver is to be told and has not been. */
export function missingAt(
  { arrivals }: EventReceiver,
  types: readonly string[],
  log: readonly events.Event[],
): events.Event[] {
  const arrived = new Set(arrivals.map(({ event }) => event.id))
  return log.filter(({ id, type }) => isWanted(types, type) && !arrived.has(id))
}

/** Everything that arrived is in the log, word by word, was asked for, and came in its turn. */
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
    return isWanted(types, event.type) ? [] : [`not asked for: ${JSON.stringify(event)}`]
  })
  const wanted = log.filter(({ type }) => isWanted(types, type))
  return [...faults, ...strange, ...orderFaults(arrivals, wanted)]
}

/**
 * Of one subject, an event comes only when the one before it was accepted. Who was told may hear it
 * again; what never came is missing, and no fault of order.
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
        : [`${number} of ${subject} came before ${before?.number} was accepted`]
    }),
  )
}

/**
 * A round, generated from one seed: schedules that run in parallel, each with an organization of its own, and faults in
 * the processes that all of them share. The schedules run in parallel because they spend most of their time waiting for
 * processes to start and for pauses.
 */
import { Chance } from '../support/random.ts'
import { actionNames, type EventAction } from './event-actions.ts'
import { type ReceiverMode, receiverModes } from './event-receiver.ts'

/** Sets the mode of a receiver until its next mode change. */
type ModeChange = { readonly afterMilliseconds: number; readonly mode: ReceiverMode }

export type PlannedReceiver = {
  /** Event types to receive; an empty list means all, as for a webhook. */
  readonly types: readonly string[]
  readonly modeChanges: readonly ModeChange[]
}

export type EventSchedule = {
  readonly receivers: readonly PlannedReceiver[]
  /** The actions of each caller, in order. */
  readonly callers: readonly (readonly EventAction[])[]
}

export type ProcessFault = {
  readonly target: 'api' | 'worker'
  readonly afterMilliseconds: number
  /** Number of the worker; unused for the API. */
  readonly worker: number
  /** Whether the replacement of a worker has another ID. */
  readonly isRenamed: boolean
}

export type EventRound = {
  readonly seed: number
  readonly schedules: readonly EventSchedule[]
  readonly faults: readonly ProcessFault[]
  /** Whether the API is killed right after the last change of the round, so that it cannot sequence the event. */
  readonly isApiKilledLast: boolean
}

export const WORKERS = 2
/** Maximum number of receivers per schedule; each has its own port. */
export const RECEIVERS_MAX = 4

/** Approximate duration of the callers' actions. */
const ROUND_MILLISECONDS = 5000

export function eventRoundOf(seed: number, schedules: number): EventRound {
  const chance = new Chance(seed)
  const faults = Array.from({ length: chance.integer(2, 5) }, () => ({
    target: chance.oneOf(['api', 'worker'] as const),
    afterMilliseconds: chance.integer(0, ROUND_MILLISECONDS),
    worker: chance.integer(0, WORKERS - 1),
    isRenamed: chance.isTrue(0.3),
  }))
  return {
    seed,
    schedules: Array.from({ length: schedules }, () => scheduleOf(chance)),
    faults: faults.toSorted((a, b) => a.afterMilliseconds - b.afterMilliseconds),
    isApiKilledLast: chance.isTrue(0.5),
  }
}

function scheduleOf(chance: Chance): EventSchedule {
  const callers = chance.integer(2, 4)
  const actions = Math.ceil(chance.integer(20, 60) / callers)
  return {
    receivers: Array.from({ length: chance.integer(2, RECEIVERS_MAX) }, () => receiverOf(chance)),
    callers: Array.from({ length: callers }, () =>
      Array.from({ length: actions }, () => actionOf(chance, (2 * ROUND_MILLISECONDS) / actions)),
    ),
  }
}

const actionOf = (chance: Chance, pauseMilliseconds: number): EventAction => ({
  what: chance.oneOf(actionNames),
  pauseMilliseconds: chance.integer(0, pauseMilliseconds),
  which: chance.fraction(),
  isRepeated: chance.isTrue(0.6),
})

/** Filters of the webhooks; an empty filter matches everything. */
const filters: readonly (readonly string[])[] = [
  [],
  ['folder.*', 'token.created'],
  ['asset.*', 'upload_session.*'],
  ['chapter.*', 'asset.updated'],
  ['folder.updated', 'upload_session.cancelled', 'asset.failed'],
]

function receiverOf(chance: Chance): PlannedReceiver {
  const modeChanges: ModeChange[] = []
  let at = 0
  while (at < ROUND_MILLISECONDS) {
    modeChanges.push({ afterMilliseconds: at, mode: chance.oneOf(receiverModes) })
    at += chance.integer(200, 2500)
  }
  return { types: chance.oneOf(filters), modeChanges }
}

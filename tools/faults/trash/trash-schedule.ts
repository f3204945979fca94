/**
 * A round, generated from one seed: schedules that run in parallel, each with an organization of its own, and faults in
 * the processes that all of them share.
 */
import { Chance } from '../support/random.ts'
import type { TrashAction } from './trash-actions.ts'

export type TrashSchedule = {
  /** The actions of each caller, in order. */
  readonly callers: readonly (readonly TrashAction[])[]
}

export type ProcessFault = {
  readonly target: 'api' | 'worker'
  readonly afterMilliseconds: number
  readonly worker: number
}

export type TrashRound = {
  readonly seed: number
  readonly schedules: readonly TrashSchedule[]
  readonly faults: readonly ProcessFault[]
}

export const WORKERS = 2

/** Approximate duration of the callers' actions. */
const ROUND_MILLISECONDS = 5000

/** Actions by frequency. Final deletions are rare, so that assets remain to be restored. */
const mix: readonly (readonly [TrashAction['what'], number])[] = [
  ['delete asset', 15],
  ['restore asset', 15],
  ['delete folder', 8],
  ['restore folder', 10],
  ['hold asset', 10],
  ['hold folder', 6],
  ['delete in bulk', 2],
  ['restore in bulk', 3],
  ['purge in bulk', 1],
  ['replace', 8],
  ['roll back', 4],
  ['purge asset', 2],
  ['purge folder', 1],
  ['end time in trash', 2],
  ['play', 8],
]
const choices = mix.flatMap(([what, frequency]) => Array.from({ length: frequency }, () => what))

export function trashRoundOf(seed: number, schedules: number): TrashRound {
  const chance = new Chance(seed)
  const faults = Array.from({ length: chance.integer(2, 4) }, () => ({
    target: chance.isTrue(0.75) ? ('worker' as const) : ('api' as const),
    afterMilliseconds: chance.integer(0, ROUND_MILLISECONDS),
    worker: chance.integer(0, WORKERS - 1),
  }))
  return {
    seed,
    schedules: Array.from({ length: schedules }, () => scheduleOf(chance)),
    faults: faults.toSorted((a, b) => a.afterMilliseconds - b.afterMilliseconds),
  }
}

function scheduleOf(chance: Chance): TrashSchedule {
  const actions = chance.integer(6, 14)
  const pause = (2 * ROUND_MILLISECONDS) / actions
  return {
    callers: Array.from({ length: chance.integer(2, 4) }, () =>
      Array.from({ length: actions }, () => ({
        what: chance.oneOf(choices),
        pauseMilliseconds: chance.integer(0, pause),
        which: chance.fraction(),
        holdMilliseconds: chance.integer(0, pause),
      })),
    ),
  }
}

/** The schedule of a pipeline fault test, generated from one seed. */

import { Chance } from '../support/random.ts'
import { type PlannedAsset, planAsset } from './asset-plan.ts'

export type Fault = {
  readonly what: 'kill' | 'freeze' | 'drain' | 'postgres' | 'radosgw'
  readonly afterMilliseconds: number
  /** How long the worker stays killed or frozen, or the server stays down. */
  readonly forMilliseconds: number
  /** Number of the worker to interrupt. If it does not run, the next running worker is interrupted. */
  readonly slot: number
  /** Whether the replacement of the worker has another ID. */
  readonly isRenamed: boolean
  /** How long the restarted worker waits for its running jobs when it is stopped. */
  readonly drainSeconds: number
}

export type PipelineSchedule = {
  readonly seed: number
  readonly organizations: number
  readonly assets: readonly PlannedAsset[]
  readonly faults: readonly Fault[]
}

export type Size = {
  readonly pipelines: number
  readonly events: number
  readonly workers: number
}

const ORGANIZATIONS = 5
const PAUSE_MILLISECONDS_MEAN = 1500

export function pipelineScheduleOf(seed: number, size: Size): PipelineSchedule {
  const chance = new Chance(seed)
  const faults: Fault[] = []
  let at = 0
  for (let event = 0; event < size.events; event++) {
    at += chance.integer(0, 2 * PAUSE_MILLISECONDS_MEAN)
    faults.push({ ...faultOf(chance, size.workers), afterMilliseconds: at })
  }
  const assets = Array.from({ length: size.pipelines }, () => planAsset(chance, ORGANIZATIONS, at))
  return { seed, organizations: ORGANIZATIONS, assets, faults }
}

/** Kinds of faults, repeated according to their frequency. */
const kinds = [
  ...Array(9).fill('kill'),
  ...Array(5).fill('freeze'),
  ...Array(4).fill('drain'),
  'postgres',
  'radosgw',
] as Fault['what'][]

function faultOf(chance: Chance, workers: number): Omit<Fault, 'afterMilliseconds'> {
  const what = chance.oneOf(kinds)
  const [least, most] = awayMilliseconds[what]
  return {
    what,
    forMilliseconds: chance.integer(least, most),
    slot: chance.integer(0, workers - 1),
    isRenamed: chance.isTrue(0.5),
    drainSeconds: chance.integer(0, 3),
  }
}

const awayMilliseconds: Record<Fault['what'], readonly [number, number]> = {
  kill: [0, 3000],
  // Some freezes are shorter than a lease, some are long enough for the lease to expire.
  freeze: [1000, 25_000],
  drain: [0, 1000],
  postgres: [0, 3000],
  radosgw: [1000, 8000],
}

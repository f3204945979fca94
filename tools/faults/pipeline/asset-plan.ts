/**
 * Plan for the steps of a fault test that process an asset. It is encoded in the title of the asset, so that every
 * attempt can read it, on any worker.
 */
import type { Asset } from '@reelkeep/server/modules/assets/assets.ts'
import type { Chance } from '../support/random.ts'

export type AssetPlan = {
  readonly encodeMilliseconds: number
  readonly packageMilliseconds: number
  readonly outputCount: number
  /** Attempts to encode whose fence is at most this number fail. */
  readonly failsToToken: number
  /** Whether encoding reports that the file is unusable. */
  readonly isUnusable: boolean
  /** Whether an attempt ignores its abort signal and tries to publish long afterwards, like a frozen process. */
  readonly ignoresAbort: boolean
  /** Whether the last output is written only after the test has inserted a row for the asset into the table `gates`. */
  readonly isGated: boolean
}

export const calmPlan: AssetPlan = {
  encodeMilliseconds: 300,
  packageMilliseconds: 50,
  outputCount: 2,
  failsToToken: 0,
  isUnusable: false,
  ignoresAbort: false,
  isGated: false,
}

export const titleOf = (plan: AssetPlan): string => JSON.stringify(plan)
export const planOf = ({ title }: Pick<Asset, 'title'>): AssetPlan => JSON.parse(title)

const scenarios = [
  'left alone',
  'cancelled',
  'cancelled, then retried',
  'deleted',
  'unusable',
  'unusable, then retried',
] as const

export type Scenario = (typeof scenarios)[number]

export type PlannedAsset = {
  readonly scenario: Scenario
  readonly plan: AssetPlan
  readonly organization: number
  readonly afterMilliseconds: number
  /** Delay of the action after the asset has been seen in processing. */
  readonly actionDelayMilliseconds: number
}

/** Share of assets without an action, which only experience the faults of workers and servers. */
const LEFT_ALONE_LIKELIHOOD = 0.7

export function planAsset(chance: Chance, organizations: number, spanMilliseconds: number) {
  const scenario = chance.isTrue(LEFT_ALONE_LIKELIHOOD) ? 'left alone' : chance.oneOf(scenarios)
  const planned: PlannedAsset = {
    scenario,
    plan: {
      encodeMilliseconds: chance.integer(200, 3000),
      packageMilliseconds: chance.integer(20, 500),
      outputCount: chance.integer(1, 4),
      // The probe has the first fence, so encoding fails once or twice.
      failsToToken: chance.isTrue(0.15) ? chance.integer(2, 3) : 0,
      isUnusable: scenario.startsWith('unusable'),
      ignoresAbort: chance.isTrue(0.3),
      isGated: false,
    },
    organization: chance.integer(0, organizations - 1),
    afterMilliseconds: chance.integer(0, spanMilliseconds),
    actionDelayMilliseconds: chance.integer(0, 2500),
  }
  return planned
}

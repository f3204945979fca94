/**
 * How the steps of the fault tests treat an asset. The plan is encoded in its title, so every attempt can read it,
 * wherever it runs.
 */
import type { Asset } from '@reelkeep/server/modules/assets/assets.ts'
import type { Chance } from '../support/random.ts'

export type AssetPlan = {
  readonly encodeMilliseconds: number
  readonly packageMilliseconds: number
  readonly outputCount: number
  /** Attempts at encoding with a fence up to this number fail. */
  readonly failsToToken: number
  /** The file counts as unusable. */
  readonly isUnusable: boolean
  /** Ignores its abort signal and tries to publish long afterwards, like a frozen process. */
  readonly ignoresAbort: boolean
  /** The last output waits until the test opens the gate of the asset. */
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
  /** Time from the asset being seen running until the action. */
  readonly actionDelayMilliseconds: number
}

/** Most assets get no action: killed workers are enough. */
const LEFT_ALONE_LIKELIHOOD = 0.7

export function planAsset(chance: Chance, organizations: number, spanMilliseconds: number) {
  const scenario = chance.isTrue(LEFT_ALONE_LIKELIHOOD) ? 'left alone' : chance.oneOf(scenarios)
  const planned: PlannedAsset = {
    scenario,
    plan: {
      encodeMilliseconds: chance.integer(200, 3000),
      packageMilliseconds: chance.integer(20, 500),
      outputCount: chance.integer(1, 4),
      // The probe draws the first fence, so these are one failure or two.
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

/**
 * What the steps of the fault tests do with an asset. Its title tells it, so every attempt at it
 * knows, wherever it runs.
 */
import type { Asset } from '@reelkeep/server/capabilities/assets/assets.ts'
import type { Chance } from './random.ts'

export type AssetPlan = {
  readonly encodeMilliseconds: number
  readonly packageMilliseconds: number
  readonly outputCount: number
  /** Attempts at encoding whose token is not above this fail, as if for want of luck. */
  readonly failsToToken: number
  /** The file is of no use to anybody. */
  readonly isUnusable: boolean
  /** Goes on when told to stop, and wants to publish long afterwards: as a process that was frozen, and is worse. */
  readonly isDeaf: boolean
}

export const calmPlan: AssetPlan = {
  encodeMilliseconds: 300,
  packageMilliseconds: 50,
  outputCount: 2,
  failsToToken: 0,
  isUnusable: false,
  isDeaf: false,
}

export const titleOf = (plan: AssetPlan): string => JSON.stringify(plan)
export const planOf = ({ title }: Pick<Asset, 'title'>): AssetPlan => JSON.parse(title)

const fates = [
  'left alone',
  'cancelled',
  'cancelled, then retried',
  'deleted',
  'unusable',
  'unusable, then retried',
] as const

export type Fate = (typeof fates)[number]

export type PlannedAsset = {
  readonly fate: Fate
  readonly plan: AssetPlan
  readonly organization: number
  readonly afterMilliseconds: number
  /** From when it is seen running until something is done to it. */
  readonly actAfterMilliseconds: number
}

/** Most are left alone: what is killed under them is enough. */
const LEFT_ALONE_LIKELIHOOD = 0.7

export function planAsset(chance: Chance, organizations: number, spanMilliseconds: number) {
  const fate = chance.isTrue(LEFT_ALONE_LIKELIHOOD) ? 'left alone' : chance.oneOf(fates)
  const planned: PlannedAsset = {
    fate,
    plan: {
      encodeMilliseconds: chance.integer(200, 3000),
      packageMilliseconds: chance.integer(20, 500),
      outputCount: chance.integer(1, 4),
      // Looking into the file draws the first token, so these are one failure or two.
      failsToToken: chance.isTrue(0.15) ? chance.integer(2, 3) : 0,
      isUnusable: fate.startsWith('unusable'),
      isDeaf: chance.isTrue(0.3),
    },
    organization: chance.integer(0, organizations - 1),
    afterMilliseconds: chance.integer(0, spanMilliseconds),
    actAfterMilliseconds: chance.integer(0, 2500),
  }
  return planned
}

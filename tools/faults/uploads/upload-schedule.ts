/** The schedule of a test: some uploads in different ways, and the faults during them. */
import { Chance } from '../support/random.ts'

export const ways = [
  'by form',
  'by form, slowly',
  'by form, twice',
  'by form, cut off, then again',
  'by form, with a hint',
  'by form, then renewed and again',
  'by form, then cancelled',
  'by form, then deleted',
  'in parts',
  'in parts, without saying so',
  'cancelled',
  'never',
] as const

export type UploadAct = {
  readonly way: (typeof ways)[number]
  readonly bytes: number
  readonly afterMilliseconds: number
}

export type Fault = {
  readonly what: 'api' | 'worker' | 'postgres' | 'radosgw' | 'osd'
  readonly afterMilliseconds: number
  /** How long the fault lasts. */
  readonly forMilliseconds: number
}

/** How storage's notifications are forwarded. */
export type Post = 'delivered' | 'lost' | 'duplicated' | 'out of order'

export type Schedule = {
  readonly seed: number
  readonly acts: readonly UploadAct[]
  readonly faults: readonly Fault[]
  readonly post: Post
}

export function scheduleOf(seed: number): Schedule {
  const chance = new Chance(seed)
  return {
    seed,
    acts: Array.from({ length: chance.integer(3, 7) }, () => ({
      way: chance.oneOf(ways),
      bytes: chance.integer(8, 3_000_000),
      afterMilliseconds: chance.integer(0, 1500),
    })),
    faults: Array.from({ length: chance.integer(0, 3) }, () => faultOf(chance)),
    post: chance.oneOf(['delivered', 'lost', 'duplicated', 'out of order'] as const),
  }
}

function faultOf(chance: Chance): Fault {
  return {
    what: chance.oneOf(['api', 'api', 'worker', 'postgres', 'radosgw', 'osd'] as const),
    afterMilliseconds: chance.integer(0, 3000),
    forMilliseconds: chance.integer(0, 1500),
  }
}

export function describe({ acts, faults, post }: Schedule): string {
  const struck = faults.map(({ what }) => what).join(', ') || 'nothing'
  return `${acts.length} uploads, notifications ${post}, killed: ${struck}`
}

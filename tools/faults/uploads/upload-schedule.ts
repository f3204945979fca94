/** The schedule of a test: uploads of different kinds, and the faults during these uploads. */
import { Chance } from '../support/random.ts'
import { type PlannedUpload, scenarios } from './upload-actions.ts'

export type Fault = {
  readonly target: 'api' | 'worker' | 'postgres' | 'radosgw' | 'osd'
  readonly afterMilliseconds: number
  /** How long the fault lasts. */
  readonly forMilliseconds: number
}

const notificationModes = ['delivered', 'lost', 'duplicated', 'out of order'] as const
export type NotificationMode = (typeof notificationModes)[number]

export type Schedule = {
  readonly uploads: readonly PlannedUpload[]
  readonly faults: readonly Fault[]
  /** Whether storage notifications are delivered, lost, duplicated or reordered. */
  readonly notifications: NotificationMode
}

export function scheduleOf(seed: number): Schedule {
  const chance = new Chance(seed)
  return {
    uploads: Array.from({ length: chance.integer(3, 7) }, () => ({
      scenario: chance.oneOf(scenarios),
      bytes: chance.integer(8, 3_000_000),
      afterMilliseconds: chance.integer(0, 1500),
    })),
    faults: Array.from({ length: chance.integer(0, 3) }, () => ({
      target: chance.oneOf(['api', 'api', 'worker', 'postgres', 'radosgw', 'osd'] as const),
      afterMilliseconds: chance.integer(0, 3000),
      forMilliseconds: chance.integer(0, 1500),
    })),
    notifications: chance.oneOf(notificationModes),
  }
}

export function describe({ uploads, faults, notifications }: Schedule): string {
  const killed = faults.map(({ target }) => target).join(', ') || 'nothing'
  return `${uploads.length} uploads, notifications ${notifications}, killed: ${killed}`
}

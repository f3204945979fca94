/** The schedule of a mix, generated from one seed. */
import { Chance } from '../support/random.ts'
import { type FaultName, faultKinds, faultNames } from './fault-kinds.ts'

export type PlannedFault = {
  /** Position in the schedule, from 1, for `--faults`. */
  readonly number: number
  readonly name: FaultName
  readonly afterMilliseconds: number
  readonly forMilliseconds: number
  /** Seed of the choices that the fault makes, such as the instance it concerns. */
  readonly seed: number
}

const PAUSE_MILLISECONDS_MEAN = 6000
/** Share of the schedule before the failover. After it the former primary must not start again. */
const BEFORE_FAILOVER = 3 / 4

export function mixScheduleOf(seed: number, minutes: number): PlannedFault[] {
  const chance = new Chance(seed)
  const names = faultNames.flatMap((name) => Array<FaultName>(faultKinds[name].weight).fill(name))
  const faults: PlannedFault[] = []
  let isFailedOver = false
  for (let at = 0, number = 1; ; number++) {
    at += chance.integer(0, 2 * PAUSE_MILLISECONDS_MEAN)
    if (at > minutes * 60_000) return faults
    const mustFailOver: boolean = !isFailedOver && at > BEFORE_FAILOVER * minutes * 60_000
    const allowed = isFailedOver ? names.filter((one) => !faultKinds[one].endsWithFailover) : names
    const name: FaultName = mustFailOver ? 'failover' : chance.oneOf(allowed)
    isFailedOver ||= mustFailOver
    const [least, most] = faultKinds[name].seconds
    const forMilliseconds = chance.integer(least * 1000, most * 1000)
    faults.push({ number, name, afterMilliseconds: at, forMilliseconds, seed: chance.integer(0, 2 ** 31) })
  }
}

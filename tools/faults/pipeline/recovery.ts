/** Computes how long steps stayed idle after their worker was killed or frozen. */

import type { StepChange } from './publications.ts'
import type { ClaimedStep, Interruption } from './worker-fleet.ts'

export type Outage = { readonly from: number; readonly to: number }

export type Recovery = ClaimedStep & {
  readonly what: Interruption['what']
  readonly worker: string
  /** Time from the interruption until the step was reclaimed or ended, minus outages. Undefined if it was neither. */
  readonly seconds: number | undefined
  /** Time of outages of Postgres or storage, which is not part of `seconds`. */
  readonly outageSeconds: number
  readonly isSameName: boolean
}

/** Lease of a worker. A worker that is frozen for a shorter time keeps its jobs and continues them. */
const LEASE_MILLISECONDS = 10_000

export function recoveriesOf(
  interruptions: readonly Interruption[],
  changes: readonly StepChange[],
  outages: readonly Outage[],
): Recovery[] {
  const byStep = Map.groupBy(changes, ({ assetId, step }) => `${assetId} ${step}`)
  const counted = interruptions.filter(
    ({ what, forMilliseconds }) => what === 'kill' || forMilliseconds > LEASE_MILLISECONDS,
  )
  return counted.flatMap(({ steps, ...interruption }) =>
    steps.map((step) => {
      const history = byStep.get(`${step.assetId} ${step.step}`) ?? []
      return { ...step, ...recoveryOf(interruption, { ...step, history }, outages) }
    }),
  )
}

function recoveryOf(
  { what, worker, at, isRenamed }: Omit<Interruption, 'steps'>,
  { token, history }: ClaimedStep & { readonly history: readonly StepChange[] },
  outages: readonly Outage[],
) {
  const later = history.filter((change) => change.at.getTime() > at)
  const end = later.find((change) => isReclaimed(change, token) || isOver(change))?.at.getTime()
  const away = end === undefined ? 0 : overlap(at, end, outages)
  return {
    what,
    worker,
    isSameName: what === 'kill' && !isRenamed,
    outageSeconds: away / 1000,
    seconds: end === undefined ? undefined : (end - at - away) / 1000,
  }
}

const isReclaimed = (change: StepChange, token: number | null) =>
  change.state === 'running' && (change.token ?? 0) > (token ?? 0)

const isOver = ({ state }: StepChange) => state === 'done' || state === 'stopped' || state === 'gone'

function overlap(from: number, to: number, outages: readonly Outage[]): number {
  const shared = outages.map((away) => Math.min(to, away.to) - Math.max(from, away.from))
  return shared.filter((part) => part > 0).reduce((sum, part) => sum + part, 0)
}

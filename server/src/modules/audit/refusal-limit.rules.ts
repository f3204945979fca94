/**
 * Limits how many refusals of one principal are recorded one by one, so that a flood of them cannot fill the log or the
 * memory. Further ones are only counted.
 */

/** Refusals of a principal per minute that are recorded one by one. */
export const REFUSALS_PER_MINUTE = 60

/** Principals that are counted at a time. Refusals of further ones are not recorded until others' minutes end. */
const PRINCIPALS_MAX = 10_000

const MINUTE_MILLISECONDS = 60_000

type Minute = { readonly startedAt: number; recorded: number; omitted: number }

/** Refusals that were left out. */
export type Omission<Principal> = { readonly principal: Principal; readonly count: number }

export class RefusalLimit<Principal extends { readonly id: string }> {
  readonly #minutes = new Map<string, Minute & { readonly principal: Principal }>()

  /** Counts a refusal. Returns false if it must not be recorded. */
  add(principal: Principal, now: number): boolean {
    const known = this.#minutes.get(principal.id)
    if (!known && this.#minutes.size >= PRINCIPALS_MAX) return false
    const minute = known ?? { principal, startedAt: now, recorded: 0, omitted: 0 }
    if (!known) this.#minutes.set(principal.id, minute)
    const isRecorded = minute.recorded < REFUSALS_PER_MINUTE
    if (isRecorded) minute.recorded++
    else minute.omitted++
    return isRecorded
  }

  /** Ends the minutes that are over, or all of them, and returns what was left out in them. */
  takeOmissions(now: number, isLast = false): Omission<Principal>[] {
    const over = [...this.#minutes.values()].filter(({ startedAt }) => isLast || now - startedAt >= MINUTE_MILLISECONDS)
    for (const { principal } of over) this.#minutes.delete(principal.id)
    return over.filter(({ omitted }) => omitted > 0).map(({ principal, omitted }) => ({ principal, count: omitted }))
  }
}

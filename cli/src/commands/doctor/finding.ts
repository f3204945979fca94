/** What was found, one thing each, in the service's own form: its operations ports tell theirs in the same. */
export type Finding = {
  /** Never changes its meaning: runbooks and scripts go by it. docs/operations/doctor.md tells them all. */
  readonly name: string
  readonly state: 'fine' | 'warning' | 'fault' | 'skipped'
  readonly detail: string
  /** What to do about it; null when there is nothing to do. */
  readonly cure: string | null
}

/** A fault may have a name of its own, finer than that of the check that found it. */
export type Verdict = Omit<Finding, 'name'> & { readonly name?: string }

export const fine = (detail: string): Verdict => ({ state: 'fine', detail, cure: null })
export const warning = (detail: string, cure: string, name?: string): Verdict => ({
  state: 'warning',
  detail,
  cure,
  ...(name === undefined ? {} : { name }),
})
export const skipped = (obstacle: string): Verdict => ({
  state: 'skipped',
  detail: `Not looked at, because of ${obstacle}.`,
  cure: null,
})
export const fault = (detail: string, cure: string, name?: string): Verdict => ({
  state: 'fault',
  detail,
  cure,
  ...(name === undefined ? {} : { name }),
})

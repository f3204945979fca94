/** Result of one check, in the same format as the results of the operations ports. */
export type CheckResult = {
  /** Stable: runbooks and scripts refer to it. All names are listed in docs/operations/doctor.md. */
  readonly name: string
  readonly state: 'fine' | 'warning' | 'fault' | 'skipped'
  readonly detail: string
  /** What to do; null if there is nothing to do. */
  readonly cure: string | null
}

/** A failure may have its own name, more specific than that of the check. */
export type CheckOutcome = Omit<CheckResult, 'name'> & { readonly name?: string }

export const ok = (detail: string): CheckOutcome => ({ state: 'fine', detail, cure: null })
export const warning = (detail: string, hint: string, name?: string): CheckOutcome => ({
  state: 'warning',
  detail,
  cure: hint,
  ...(name === undefined ? {} : { name }),
})
export const skipped = (blocker: string): CheckOutcome => ({
  state: 'skipped',
  detail: `Not checked, because ${blocker} failed.`,
  cure: null,
})
export const failed = (detail: string, hint: string, name?: string): CheckOutcome => ({
  state: 'fault',
  detail,
  cure: hint,
  ...(name === undefined ? {} : { name }),
})

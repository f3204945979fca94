/** Result of one check, in the same format as the results of the operations ports. */
export type CheckResult = {
  /** Stable name, used by runbooks and scripts. All names are listed in docs/operations/doctor.md. */
  readonly name: string
  readonly status: 'ok' | 'warning' | 'failed' | 'skipped'
  readonly detail: string
  /** What to do; null if there is nothing to do. */
  readonly hint: string | null
}

/** Outcome of a check. A failure may have its own name, more specific than the name of the check. */
export type CheckOutcome = Omit<CheckResult, 'name'> & { readonly name?: string }

export const ok = (detail: string): CheckOutcome => ({ status: 'ok', detail, hint: null })
export const skipped = (detail: string): CheckOutcome => ({ status: 'skipped', detail, hint: null })
export const warning = (detail: string, hint: string, name?: string): CheckOutcome => ({
  ...{ status: 'warning', detail, hint },
  ...(name === undefined ? {} : { name }),
})
export const failed = (detail: string, hint: string, name?: string): CheckOutcome => ({
  ...{ status: 'failed', detail, hint },
  ...(name === undefined ? {} : { name }),
})

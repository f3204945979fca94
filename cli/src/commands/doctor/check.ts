import { type CheckOutcome, type CheckResult, failed, skipped } from './check-result.ts'
import type { DoctorContext } from './context.ts'

export type Check = {
  readonly name: string
  /** Description of the check, printed while it runs. */
  readonly description: string
  /** Names of earlier checks. If one of them fails, this check is skipped, because its result would be misleading. */
  readonly needs: readonly string[]
  /** Like `needs`, but after a failure of that check, this check still runs if `canContinue` is true. */
  readonly follows?: {
    readonly name: string
    readonly canContinue: (context: DoctorContext) => boolean
  }
  readonly run: (context: DoctorContext) => Promise<CheckOutcome>
}

/** Runs the checks in order. Throws the reason of the signal after Ctrl-C. */
export async function runChecks(
  checks: readonly Check[],
  context: DoctorContext,
  reporter: {
    readonly onStart: (check: Check) => void
    readonly onResult: (result: CheckResult) => void
  },
): Promise<CheckResult[]> {
  const results: CheckResult[] = []
  /** For each failed or skipped check, the failure because of which checks that depend on it are skipped. */
  const blockers = new Map<string, string>()
  for (const check of checks) {
    context.signal.throwIfAborted()
    const { needs, follows } = check
    const required = follows && !follows.canContinue(context) ? [...needs, follows.name] : needs
    const blocker = required.map((need) => blockers.get(need)).find(Boolean)
    const result: CheckResult = blocker
      ? { name: check.name, ...skipped(`Not checked, because ${blocker} failed.`) }
      : await runCheck(check, context, reporter)
    if (result.status === 'skipped') blockers.set(check.name, blocker ?? result.name)
    if (result.status === 'failed') blockers.set(check.name, result.name)
    results.push(result)
    reporter.onResult(result)
  }
  return results
}

async function runCheck(
  check: Check,
  context: DoctorContext,
  { onStart }: { readonly onStart: (check: Check) => void },
): Promise<CheckResult> {
  onStart(check)
  try {
    return { name: check.name, ...(await check.run(context)) }
  } catch (error) {
    context.signal.throwIfAborted()
    return { name: check.name, ...unexpected(error) }
  }
}

/** Reports an error that the check did not expect. */
const unexpected = (error: unknown): CheckOutcome =>
  failed(error instanceof Error ? error.message : String(error), 'See the log of the API at the time of this check.')

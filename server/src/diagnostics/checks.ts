/**
 * Checks for operators, their results and the runner. docs/operations/doctor.md and docs/operations/storage.md list
 * every name with its fix.
 */

export type CheckResult = {
  /** Stable name of the check, which runbooks and scripts use. */
  readonly name: string
  readonly status: 'ok' | 'warning' | 'failed' | 'skipped'
  /** The result of the check as a sentence, without any secret. */
  readonly detail: string
  /** How to fix the problem; null if there is nothing to do. */
  readonly hint: string | null
}

export type CheckOutcome = Omit<CheckResult, 'name'>

export type Check = {
  readonly name: string
  /** Name of an earlier check in the list; if that fails, this one is skipped. */
  readonly needs?: string
  /** Time limit of the check. The default is `CHECK_SECONDS_MAX`, for a check that queries a server. */
  readonly secondsMax?: number
  /** What to do if `run` throws or takes too long; `failureStatus` is the status of the result then. */
  readonly hint?: string
  readonly failureStatus?: 'warning' | 'failed'
  /** Runs the check. It must stop when the signal aborts because the time is up. */
  readonly run: (signal: AbortSignal) => Promise<CheckOutcome>
}

/** A check failed; the message is a sentence. Other errors are reported with their name. */
export class CheckFailure extends Error {
  override readonly name = 'CheckFailure'
}

type Status = CheckResult['status']
const outcome = (status: Status, detail: string, hint: string | null = null): CheckOutcome => {
  return { status, detail, hint }
}

export const ok = (detail: string) => outcome('ok', detail)
export const warning = (detail: string, hint: string) => outcome('warning', detail, hint)
export const failed = (detail: string, hint: string) => outcome('failed', detail, hint)
const skipped = (detail: string) => outcome('skipped', detail)

/** Default time limit of a check; longer than a slow but working server takes. */
const CHECK_SECONDS_MAX = 8
/** Time limit of checks that start programs, which takes long on a busy machine. */
export const PROGRAM_CHECK_SECONDS_MAX = 20
/** Time limit of all checks of `/doctor` together. The CLI's timeout is longer. */
const ALL_CHECKS_SECONDS_MAX = 25

type RunOptions = {
  /** `sequential` if checks change the state that later checks read. */
  readonly order?: 'concurrent' | 'sequential'
  /** Time limit of all checks together. */
  readonly secondsMax?: number
  /** Called with each result, in the order of completion. */
  readonly onResult?: (result: CheckResult) => void
}

/** Runs the checks, each after the one it needs. Returns the results in the order of the list. */
export async function runChecks(
  checks: readonly Check[],
  { order = 'concurrent', secondsMax = ALL_CHECKS_SECONDS_MAX, onResult = () => {} }: RunOptions = {},
): Promise<CheckResult[]> {
  const endsAt = performance.now() + secondsMax * 1000
  const results = new Map<string, Promise<CheckResult>>()
  const runAndReport = async (check: Check, needed: Promise<CheckResult> | undefined) => {
    const result = { name: check.name, ...(await outcomeOf(check, await needed, endsAt)) }
    onResult(result)
    return result
  }
  for (const check of checks) {
    const result = runAndReport(check, results.get(check.needs ?? ''))
    results.set(check.name, result)
    if (order === 'sequential') await result
  }
  return Promise.all(results.values())
}

async function outcomeOf(check: Check, needed: CheckResult | undefined, endsAt: number): Promise<CheckOutcome> {
  if (needed?.status === 'failed') return skipped(`Not checked, because ${needed.name} failed.`)
  // The message names the check that failed, not the check that was skipped because of it.
  if (needed?.status === 'skipped') return skipped(needed.detail)
  return withTimeout(check, endsAt)
}

async function withTimeout(check: Check, endsAt: number): Promise<CheckOutcome> {
  const { run, secondsMax = CHECK_SECONDS_MAX, failureStatus: status = 'failed' } = check
  const seconds = Math.min(secondsMax, (endsAt - performance.now()) / 1000)
  if (seconds <= 0) return skipped('Not checked: earlier checks used up the time limit.')
  const over = new AbortController()
  const { promise: late, resolve } = Promise.withResolvers<CheckOutcome>()
  const timer = setTimeout(() => {
    const detail = `No response within ${Math.round(seconds)} seconds.`
    resolve({ status, detail, hint: check.hint ?? CHECK_THE_SERVER })
    over.abort()
  }, seconds * 1000)
  try {
    return await Promise.race([run(over.signal), late])
  } catch (error) {
    const detail = error instanceof CheckFailure ? error.message : String(error)
    return { status, detail, hint: check.hint ?? SEE_THE_LOG }
  } finally {
    clearTimeout(timer)
  }
}

const SEE_THE_LOG = 'See the log of this process for details.'
const CHECK_THE_SERVER = 'Check whether the server is overloaded or unreachable, then run the check again.'

const marks = { ok: '✓', warning: '!', failed: '✗', skipped: '–' } as const

/** The line that the CLI's `doctor` prints for a result, without colors. */
export function renderResult({ name, status, detail, hint }: CheckResult): string {
  const line = `${marks[status]} ${name}  ${detail}`
  return hint === null ? line : `${line}\n    → ${hint}`
}

/** Self-checks of the service. docs/operations/doctor.md lists every name with its fix. */

export type CheckResult = {
  /** Stable: runbooks and scripts use it. */
  readonly name: string
  readonly state: 'fine' | 'warning' | 'fault' | 'skipped'
  /** A sentence, without any secret. */
  readonly detail: string
  /** What to do; null if there is nothing to do. */
  readonly cure: string | null
}

export type CheckOutcome = Omit<CheckResult, 'name'>

export type Check = {
  readonly name: string
  /** Name of an earlier check in the list; if that fails, this one is skipped. */
  readonly needs?: string
  /** Default: `CHECK_SECONDS_MAX`, for a check that queries a server. */
  readonly secondsMax?: number
  /** Stops when the signal aborts because the time is up. */
  readonly run: (signal: AbortSignal) => Promise<CheckOutcome>
}

export const ok = (detail: string): CheckOutcome => ({ state: 'fine', detail, cure: null })
export const warning = (detail: string, cure: string): CheckOutcome => ({
  state: 'warning',
  detail,
  cure,
})
export const failed = (detail: string, cure: string): CheckOutcome => ({
  state: 'fault',
  detail,
  cure,
})
export const skipped = (detail: string): CheckOutcome => ({ state: 'skipped', detail, cure: null })

/** Longer than a slow but working server takes. */
const CHECK_SECONDS_MAX = 8
/** For checks that start programs, which takes long on a busy machine. */
export const PROGRAM_CHECK_SECONDS_MAX = 20
/** For all checks together. The CLI's timeout is longer. */
const ALL_CHECKS_SECONDS_MAX = 25

/** Runs the checks concurrently, each after the one it needs. Returns the results in the order of the list. */
export function runChecks(checks: readonly Check[]): Promise<CheckResult[]> {
  const endsAt = performance.now() + ALL_CHECKS_SECONDS_MAX * 1000
  const begun = new Map<string, Promise<CheckResult>>()
  for (const check of checks) {
    const { name, needs = '' } = check
    begun.set(name, resultOf(check, begun.get(needs), endsAt))
  }
  return Promise.all(begun.values())
}

async function resultOf(
  check: Check,
  needed: Promise<CheckResult> | undefined,
  endsAt: number,
): Promise<CheckResult> {
  const { name } = check
  const before = await needed
  if (before && ['fault', 'skipped'].includes(before.state))
    return { name, ...skipped(`Skipped because of ${before.name}.`) }
  return { name, ...(await withTimeout(check, endsAt)) }
}

async function withTimeout(
  { run, secondsMax = CHECK_SECONDS_MAX }: Check,
  endsAt: number,
): Promise<CheckOutcome> {
  const seconds = Math.min(secondsMax, (endsAt - performance.now()) / 1000)
  if (seconds <= 0) return skipped('Skipped: the checks before it took all the time.')
  const over = new AbortController()
  const { promise: late, resolve } = Promise.withResolvers<CheckOutcome>()
  const timer = setTimeout(() => {
    resolve(tooSlow(seconds))
    over.abort()
  }, seconds * 1000)
  try {
    return await Promise.race([run(over.signal), late])
  } catch (error) {
    return failed(String(error), 'See the message, and the log of this process for more.')
  } finally {
    clearTimeout(timer)
  }
}

const tooSlow = (seconds: number) =>
  failed(
    `No answer within ${Math.round(seconds)} seconds.`,
    'Check whether the server is overloaded or unreachable, then run the check again.',
  )

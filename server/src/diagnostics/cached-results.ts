import { type Check, type CheckResult, runChecks } from './checks.ts'

/** How long check results are cached. This limits how often clients can make the service start programs. */
const CACHE_SECONDS = 10

/** Runs the checks. Calls during a run, or within `CACHE_SECONDS` after it, share its results. */
export function cacheResults(checks: readonly Check[]): () => Promise<CheckResult[]> {
  let latest: Promise<CheckResult[]> | undefined
  let cachedUntil = 0
  return () => {
    if (latest && performance.now() < cachedUntil) return latest
    cachedUntil = Number.POSITIVE_INFINITY
    latest = runChecks(checks).finally(() => {
      cachedUntil = performance.now() + CACHE_SECONDS * 1000
    })
    return latest
  }
}

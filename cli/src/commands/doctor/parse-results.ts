/** Parses the response of an operations port, which may be from another version or not from Reelkeep. */
import type { CheckResult } from './check-result.ts'

/** Maximum number of results, more than any version of the service returns. */
const RESULTS_MAX = 200

const statuses = ['ok', 'warning', 'failed', 'skipped'] as const

/** Returns undefined if the text contains no results. */
export function parseResults(text: string): CheckResult[] | undefined {
  const { results } = Object(parsed(text)) as { results?: unknown }
  if (!Array.isArray(results)) return undefined
  const valid = results.slice(0, RESULTS_MAX).map(parseResult)
  return valid.every((result) => result !== undefined) ? valid : undefined
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function parseResult(value: unknown): CheckResult | undefined {
  const { name, status, detail, hint } = Object(value) as Record<string, unknown>
  if (typeof name !== 'string' || typeof status !== 'string' || typeof detail !== 'string') return undefined
  // An unknown status of a later version counts as a warning.
  const known = statuses.find((one) => one === status) ?? 'warning'
  return { name, status: known, detail, hint: typeof hint === 'string' ? hint : null }
}

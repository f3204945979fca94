/** Parses the response of an operations port, which may have another version or not be Reelkeep. */
import type { CheckResult } from './check-result.ts'

/** More than any version has. */
const RESULTS_MAX = 200

const states: readonly string[] = [
  'fine',
  'warning',
  'fault',
  'skipped',
] satisfies CheckResult['state'][]

/** Undefined if the text contains no results. */
export function parseResults(text: string): CheckResult[] | undefined {
  const { findings } = Object(parsed(text)) as { findings?: unknown }
  if (!Array.isArray(findings)) return undefined
  const results = findings.slice(0, RESULTS_MAX).map(parseResult)
  return results.every((result) => result !== undefined) ? results : undefined
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function parseResult(value: unknown): CheckResult | undefined {
  const { name, state, detail, cure } = Object(value) as Record<string, unknown>
  if (typeof name !== 'string' || typeof state !== 'string' || typeof detail !== 'string')
    return undefined
  return { name, state: knownState(state), detail, cure: typeof cure === 'string' ? cure : null }
}

/** Unknown states of later versions count as a warning. */
const knownState = (state: string): CheckResult['state'] =>
  states.includes(state) ? (state as CheckResult['state']) : 'warning'

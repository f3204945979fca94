/** What an operations port tells, which may be of another version, or not one of ours at all. */
import type { Finding } from './finding.ts'

/** More than any version looks at. */
const FINDINGS_MAX = 200

const states: readonly string[] = [
  'fine',
  'warning',
  'fault',
  'skipped',
] satisfies Finding['state'][]

/** Undefined: these are no findings. */
export function findingsIn(text: string): Finding[] | undefined {
  const { findings } = Object(parsed(text)) as { findings?: unknown }
  if (!Array.isArray(findings)) return undefined
  const told = findings.slice(0, FINDINGS_MAX).map(findingIn)
  return told.every((finding) => finding !== undefined) ? told : undefined
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function findingIn(told: unknown): Finding | undefined {
  const { name, state, detail, cure } = Object(told) as Record<string, unknown>
  if (typeof name !== 'string' || typeof state !== 'string' || typeof detail !== 'string')
    return undefined
  return { name, state: knownState(state), detail, cure: typeof cure === 'string' ? cure : null }
}

/** One of a later version is neither fine nor known to be a fault. */
const knownState = (state: string): Finding['state'] =>
  states.includes(state) ? (state as Finding['state']) : 'warning'

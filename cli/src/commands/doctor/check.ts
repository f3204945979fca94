import { type Finding, fault, skipped, type Verdict } from './finding.ts'
import type { Patient } from './patient.ts'

export type Check = {
  readonly name: string
  /** What it looks at: said while it runs. */
  readonly what: string
  /** Earlier checks: after the fault of one, this one would blame the wrong thing. */
  readonly needs: readonly string[]
  /** One whose fault stands in the way only if it left this one nothing to look at. */
  readonly follows?: { readonly name: string; readonly canGoOn: (patient: Patient) => boolean }
  readonly look: (patient: Patient) => Promise<Verdict>
}

/** One after another. Ctrl-C ends it, by the signal's reason. */
export async function runChecks(
  checks: readonly Check[],
  patient: Patient,
  tell: { readonly begins: (check: Check) => void; readonly found: (finding: Finding) => void },
): Promise<Finding[]> {
  const findings: Finding[] = []
  /** What stands in the way of those that need a check, by the check's name. */
  const obstacles = new Map<string, string>()
  for (const check of checks) {
    patient.signal.throwIfAborted()
    const { needs, follows } = check
    const required = follows && !follows.canGoOn(patient) ? [...needs, follows.name] : needs
    const obstacle = required.map((need) => obstacles.get(need)).find(Boolean)
    const finding = obstacle ? notLookedAt(check, obstacle) : await looked(check, patient, tell)
    if (finding.state === 'skipped') obstacles.set(check.name, obstacle ?? finding.name)
    if (finding.state === 'fault') obstacles.set(check.name, finding.name)
    findings.push(finding)
    tell.found(finding)
  }
  return findings
}

const notLookedAt = ({ name }: Check, obstacle: string): Finding => ({
  name,
  ...skipped(obstacle),
})

async function looked(
  check: Check,
  patient: Patient,
  { begins }: { readonly begins: (check: Check) => void },
): Promise<Finding> {
  begins(check)
  try {
    return { name: check.name, ...(await check.look(patient)) }
  } catch (error) {
    patient.signal.throwIfAborted()
    return { name: check.name, ...unexpected(error) }
  }
}

/** An answer that no check thought of is told as it came. */
const unexpected = (error: unknown): Verdict =>
  fault(
    error instanceof Error ? error.message : String(error),
    'The log of the API says more; look there for the time of this check.',
  )

/**
 * What an examination of the service finds, one thing each. docs/operations/doctor.md tells every
 * name with its cure.
 */

export type Finding = {
  /** Never changes its meaning: runbooks and scripts go by it. */
  readonly name: string
  readonly state: 'fine' | 'warning' | 'fault' | 'skipped'
  /** A sentence, without any secret. */
  readonly detail: string
  /** What to do about it; null when there is nothing to do. */
  readonly cure: string | null
}

export type Verdict = Omit<Finding, 'name'>

export type Examination = {
  readonly name: string
  /** Another one of the same list, before it: after its fault, this one would only find the same again. */
  readonly needs?: string
  /** Unless told, it is one that asks a server. */
  readonly secondsMax?: number
  /** Breaks off whatever it has begun when the signal says that its time is over. */
  readonly look: (signal: AbortSignal) => Promise<Verdict>
}

export const fine = (detail: string): Verdict => ({ state: 'fine', detail, cure: null })
export const warning = (detail: string, cure: string): Verdict => ({
  state: 'warning',
  detail,
  cure,
})
export const fault = (detail: string, cure: string): Verdict => ({ state: 'fault', detail, cure })
export const skipped = (detail: string): Verdict => ({ state: 'skipped', detail, cure: null })

/** Longer than any server that is merely slow takes. */
const LOOK_SECONDS_MAX = 8
/** Programs are started, which takes long on a machine that is busy. */
export const PROGRAMS_SECONDS_MAX = 20
/** For all together; the command line waits longer than that. */
const EXAMINATION_SECONDS_MAX = 25

/** Side by side, each behind the one it needs; told in the order of the list. */
export function examine(examinations: readonly Examination[]): Promise<Finding[]> {
  const endsAt = performance.now() + EXAMINATION_SECONDS_MAX * 1000
  const begun = new Map<string, Promise<Finding>>()
  for (const examination of examinations) {
    const { name, needs = '' } = examination
    begun.set(name, findingOf(examination, begun.get(needs), endsAt))
  }
  return Promise.all(begun.values())
}

async function findingOf(
  examination: Examination,
  needed: Promise<Finding> | undefined,
  endsAt: number,
): Promise<Finding> {
  const { name } = examination
  const before = await needed
  if (before && ['fault', 'skipped'].includes(before.state))
    return { name, ...skipped(`Not looked at, because of ${before.name}.`) }
  return { name, ...(await inTime(examination, endsAt)) }
}

async function inTime(
  { look, secondsMax = LOOK_SECONDS_MAX }: Examination,
  endsAt: number,
): Promise<Verdict> {
  const seconds = Math.min(secondsMax, (endsAt - performance.now()) / 1000)
  if (seconds <= 0) return skipped('Not looked at: those before it took all the time.')
  const over = new AbortController()
  const { promise: late, resolve } = Promise.withResolvers<Verdict>()
  const timer = setTimeout(() => {
    resolve(tooSlow(seconds))
    over.abort()
  }, seconds * 1000)
  try {
    return await Promise.race([look(over.signal), late])
  } catch (error) {
    return fault(String(error), 'Look at what it says; the log of this process may say more.')
  } finally {
    clearTimeout(timer)
  }
}

const tooSlow = (seconds: number) =>
  fault(
    `There was no answer within ${Math.round(seconds)} seconds.`,
    'See whether what it asks is overloaded or cut off, and ask again.',
  )

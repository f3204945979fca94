/** Runs the faults of a schedule at their times. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Chance } from '../support/random.ts'
import { type FaultKind, type FaultName, type FaultSite, faultKinds } from './fault-kinds.ts'
import type { PlannedFault } from './mix-schedule.ts'

/** How long a fault waits for the end of another one of the same part. Without a limit, the schedule would not end. */
const WAIT_SECONDS_MAX = 10
const POLL_MILLISECONDS = 100

type RunResult = {
  /** Names of the faults that were started. */
  readonly started: readonly FaultName[]
  /** Faults that could not be started or ended: the run proves less than it says. */
  readonly errors: readonly string[]
}

/** Runs all faults. Resolves when all of them have ended. */
export async function runFaults(
  site: FaultSite,
  planned: readonly PlannedFault[],
  print: (line: string) => void,
): Promise<RunResult> {
  const began = performance.now()
  const seconds = () => ((performance.now() - began) / 1000).toFixed(1).padStart(6)
  const locks = new PartLocks()
  const started: FaultName[] = []
  const errors: string[] = []
  const run = async ({ name, number, ...fault }: PlannedFault) => {
    const kind = faultKinds[name]
    await sleep(fault.afterMilliseconds)
    for (const { what, parts, start } of [kind.prepare(site, new Chance(fault.seed))].flat()) {
      using lock = await locks.acquire(parts, kind)
      if (!lock || (site.isFailedOver && kind.endsWithFailover)) {
        print(`${seconds()} s  ${number}: skipped, ${what}`)
        continue
      }
      started.push(name)
      print(`${seconds()} s  ${number}: ${what}`)
      const end = await start()
      await sleep(fault.forMilliseconds)
      await end()
      print(`${seconds()} s  ${number}: ended`)
    }
  }
  await Promise.all(planned.map((fault) => run(fault).catch((error) => errors.push(`${fault.number}: ${error}`))))
  return { started, errors }
}

/** Locks of several parts at once. */
class PartLocks {
  readonly #locked = new Set<string>()

  /** Returns undefined if one of the parts is still in use after the time limit, unless the fault is required. */
  async acquire(parts: readonly string[], { isRequired }: FaultKind): Promise<Disposable | undefined> {
    const deadline = isRequired ? Number.POSITIVE_INFINITY : performance.now() + WAIT_SECONDS_MAX * 1000
    while (parts.some((part) => this.#locked.has(part))) {
      if (performance.now() > deadline) return undefined
      await sleep(POLL_MILLISECONDS)
    }
    for (const part of parts) this.#locked.add(part)
    const release = () => {
      for (const part of parts) this.#locked.delete(part)
    }
    return { [Symbol.dispose]: release }
  }
}

/**
 * `pnpm faults uploads`: tests uploads while processes of the service, Postgres or storage are killed.
 *
 *   --schedules N   number of random schedules (200)
 *   --seed N        seed of the first schedule; `--schedules 1 --seed N` repeats a failed schedule
 *   --only-random   runs only random schedules: no kills between steps, and no fixed faults
 */
import { parseArgs } from 'node:util'
import { FaultyService } from './uploads/faulty-service.ts'
import { killBetweenSteps } from './uploads/kill-points.ts'
import { type Outcome, runSchedule } from './uploads/run-upload-schedule.ts'
import { scenarios } from './uploads/upload-actions.ts'
import { describe, type Fault, scheduleOf } from './uploads/upload-schedule.ts'

const { values } = parseArgs({
  options: {
    schedules: { type: 'string', default: '200' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000_000) },
    'only-random': { type: 'boolean', default: false },
  },
})

const print = (line: string) => process.stdout.write(`${line}\n`)
const start = performance.now()
const minutes = () => `${((performance.now() - start) / 60_000).toFixed(1)} min`

await using service = await FaultyService.open()

let [failures, uploads, acknowledged] = [0, 0, 0]
const report = (title: string, outcome: Outcome) => {
  for (const violation of outcome.violations) print(`  VIOLATION  ${title}: ${violation}`)
  failures += outcome.violations.length
  uploads += outcome.uploads
  acknowledged += outcome.acknowledged
}

if (!values['only-random']) {
  await killAtEveryStep()
  await runNamedFaults()
}
await runRandomSchedules(Number(values.seed), Number(values.schedules))
print(`${uploads} uploads, ${acknowledged} acknowledged, ${failures} lost, completed twice or stuck (${minutes()})`)
process.exitCode = failures > 0 ? 1 : 0

async function killAtEveryStep(): Promise<void> {
  for (const scenario of ['by form, then completed', 'in parts'] as const) {
    const { killed, ...outcome } = await killBetweenSteps(service, scenario)
    report(`kill points, ${scenario}`, outcome)
    print(
      `API killed at each of ${killed} points of a completion, ${scenario}: ${outcome.violations.length} violations`,
    )
  }
}

/** Runs uploads of every kind during each of three severe faults. */
async function runNamedFaults(): Promise<void> {
  const faults: readonly (readonly [string, Fault])[] = [
    ['one of three OSDs killed during uploads', faultOf('osd', 10_000)],
    ['Postgres killed and restarted', faultOf('postgres', 3000)],
    ['radosgw down for 60 s', faultOf('radosgw', 60_000)],
  ]
  for (const [title, fault] of faults) {
    const uploads = scenarios.map((scenario) => ({
      ...{ scenario, bytes: 2_000_000, afterMilliseconds: 500 },
    }))
    const schedule = { uploads, faults: [fault], notifications: 'delivered' as const }
    const outcome = await runSchedule(service, schedule)
    report(title, outcome)
    print(`${title}: ${outcome.acknowledged} acknowledged, ${outcome.violations.length} violations`)
  }
}

function faultOf(target: Fault['target'], forMilliseconds: number): Fault {
  return { target, afterMilliseconds: 900, forMilliseconds }
}

async function runRandomSchedules(first: number, count: number): Promise<void> {
  print(`${count} random schedules from seed ${first}`)
  for (let seed = first; seed < first + count; seed++) {
    const schedule = scheduleOf(seed)
    const outcome = await runSchedule(service, schedule)
    report(`seed ${seed}`, outcome)
    const result = outcome.violations.length > 0 ? 'FAILED' : 'passed'
    print(`${result}  seed ${seed}  ${describe(schedule)}  (${minutes()})`)
  }
}

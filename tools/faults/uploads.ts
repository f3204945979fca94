/**
 * `pnpm faults uploads`: uploads while parts of the service are killed.
 *
 *   --schedules N   random schedules to run (200)
 *   --seed N        of the first one; a failing schedule prints its own, and `--schedules 1 --seed N` repeats it
 *   --only-random   skips the kills between every two steps and the named faults
 */
import { parseArgs } from 'node:util'
import { killBetweenSteps } from './support/kill-points.ts'
import { FaultyService } from './support/service.ts'
import { openStorage } from './support/storage.ts'
import { type Outcome, runSchedule } from './uploads/run-upload-schedule.ts'
import { describe, type Fault, scheduleOf, ways } from './uploads/upload-schedule.ts'

const { values } = parseArgs({
  options: {
    schedules: { type: 'string', default: '200' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000_000) },
    'only-random': { type: 'boolean', default: false },
  },
})

const say = (line: string) => process.stdout.write(`${line}\n`)
const began = performance.now()
const minutes = () => `${((performance.now() - began) / 60_000).toFixed(1)} min`

await using service = await FaultyService.open()
using opened = openStorage(service.env)
const storage = opened.client

let [failures, uploads, acknowledged] = [0, 0, 0]
const report = (title: string, outcome: Outcome) => {
  for (const fault of outcome.faults) say(`  FAULT  ${title}: ${fault}`)
  failures += outcome.faults.length
  uploads += outcome.uploads
  acknowledged += outcome.acknowledged
}

if (!values['only-random']) {
  await everyStep()
  await namedFaults()
}
await randomSchedules(Number(values.seed), Number(values.schedules))
say(
  `${uploads} uploads, ${acknowledged} acknowledged, ${failures} lost, completed twice or stuck (${minutes()})`,
)
process.exitCode = failures > 0 ? 1 : 0

async function everyStep(): Promise<void> {
  for (const way of ['by form, with a hint', 'in parts'] as const) {
    const { killed, ...outcome } = await killBetweenSteps(service, storage, way)
    report(`kill points, ${way}`, outcome)
    say(
      `API killed at each of ${killed} points of a completion ${way}: ${outcome.faults.length} violations`,
    )
  }
}

/** Uploads of every kind under one fault each, the worst of its kind. */
async function namedFaults(): Promise<void> {
  const struck: readonly (readonly [string, Fault])[] = [
    ['one of three OSDs killed during uploads', strike('osd', 10_000)],
    ['Postgres killed and restarted', strike('postgres', 3000)],
    ['radosgw down for 60 s', strike('radosgw', 60_000)],
  ]
  for (const [title, fault] of struck) {
    const acts = ways.map((way) => ({ way, bytes: 2_000_000, afterMilliseconds: 500 }))
    const schedule = { seed: 0, acts, faults: [fault], post: 'delivered' as const }
    const outcome = await runSchedule(service, storage, schedule)
    report(title, outcome)
    say(`${title}: ${outcome.acknowledged} acknowledged, ${outcome.faults.length} faults`)
  }
}

function strike(what: Fault['what'], forMilliseconds: number): Fault {
  return { what, afterMilliseconds: 900, forMilliseconds }
}

async function randomSchedules(first: number, count: number): Promise<void> {
  say(`${count} random schedules from seed ${first}`)
  for (let seed = first; seed < first + count; seed++) {
    const schedule = scheduleOf(seed)
    const outcome = await runSchedule(service, storage, schedule)
    report(`seed ${seed}`, outcome)
    const verdict = outcome.faults.length > 0 ? 'FAULT' : 'fine'
    say(`${verdict}  seed ${seed}  ${describe(schedule)}  (${minutes()})`)
  }
}

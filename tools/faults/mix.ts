/**
 * `pnpm faults mix`: one random schedule of all kinds of faults, under uploads, encodes, playback, events and webhooks.
 * When all faults have ended, all invariants are checked: nothing lost, nothing doubled, nothing stuck. Needs root, to
 * drop packets and to fill disks.
 *
 *   --minutes N     length of the schedule (3)
 *   --seed N        seed of all random choices; every run prints it
 *   --faults 3,7,9  only these faults of the schedule
 *   --shrink        if the run fails, repeats it with fewer faults, and prints the fewest that still fail
 */
import { parseArgs } from 'node:util'
import { runMix } from './mix/mix-run.ts'
import { mixScheduleOf, type PlannedFault } from './mix/mix-schedule.ts'
import { shrink } from './mix/shrink.ts'
import { minutesOf } from './support/minutes.ts'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '3' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000_000) },
    faults: { type: 'string' },
    shrink: { type: 'boolean', default: false },
  },
})

if (process.getuid?.() !== 0) {
  process.stderr.write('pnpm faults mix drops packets and mounts disks, so it needs root. Run it with sudo.\n')
  process.exit(2)
}

const began = performance.now()
const print = (line: string) => process.stdout.write(`${line}\n`)
const minutes = minutesOf(values.minutes)
const seed = Number(values.seed)
const command = `pnpm faults mix --minutes ${values.minutes} --seed ${seed}`

print(command)
const code = await runAndPrint(selectFaults())
print(`${code === 0 ? 'fine' : 'FAILED'}, seed ${seed} (${((performance.now() - began) / 60_000).toFixed(1)} min)`)
process.exitCode = code

function selectFaults(): readonly PlannedFault[] {
  const all = mixScheduleOf(seed, minutes)
  if (values.faults === undefined) return all
  return values.faults.split(',').map((text) => {
    const fault = all.find(({ number }) => number === Number(text))
    if (!fault) throw new Error(`The schedule has no fault ${text}. It has ${all.length} faults.`)
    return fault
  })
}

async function runAndPrint(faults: readonly PlannedFault[]): Promise<number> {
  const report = await runMix({ seed, faults }, print)
  const exitCode = report.print()
  if (exitCode === 0 || !values.shrink) return exitCode
  const fewest = await shrink(faults, async (subset) => {
    print(`--- repeating with ${subset.length} of ${faults.length} faults`)
    return (await runMix({ seed, faults: subset }, print)).print() !== 0
  })
  print(`the fewest faults that fail: ${command} --faults ${fewest.map(({ number }) => number).join(',')}`)
  return exitCode
}

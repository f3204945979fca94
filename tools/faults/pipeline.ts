/**
 * `pnpm faults pipeline`: tests processing while workers are killed, frozen and stopped, and Postgres and storage fail.
 * Also measures how long a small organization waits behind a large one.
 *
 *   --seed N        seed of all random choices; a failing run prints it
 *   --pipelines N   number of videos (300)
 *   --events N      number of faults (300, of which some 210 kill or freeze a worker)
 *   --workers N     number of worker processes (6)
 *   --hoard N       number of videos of the large organization (5000); 0 skips the measurement of waiting times
 *
 * A run with fewer videos or faults checks for lost, repeated or stuck work, and only prints recovery times, because
 * CI runs it on a machine with other work.
 */
import { parseArgs } from 'node:util'
import { median, printTable } from '../bench/support/table.ts'
import { type Fairness, isFair, measureFairness } from './fairness.ts'
import { type RunOutcome, runPipelines, type ViolatingAsset } from './pipeline/pipeline-run.ts'
import { pipelineScheduleOf } from './pipeline/pipeline-schedule.ts'
import type { Recovery } from './pipeline/recovery.ts'
import { ownStack } from './support/own-stack.ts'

/** Minimum number of videos and of faults in a run that also checks times. */
const FULL_LENGTH = 300

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Date.now() % 1_000_000_000) },
    pipelines: { type: 'string', default: String(FULL_LENGTH) },
    events: { type: 'string', default: String(FULL_LENGTH) },
    workers: { type: 'string', default: '6' },
    hoard: { type: 'string', default: '5000' },
  },
})

const began = performance.now()
const minutes = () => `${((performance.now() - began) / 60_000).toFixed(1)} min`
const print = (line: string) => process.stdout.write(`${line}\n`)
const printProgress = (line: string) => print(`  ${line} (${minutes()})`)

await using stack = await ownStack()
const seed = Number(values.seed)
const workers = Number(values.workers)
const size = { pipelines: Number(values.pipelines), events: Number(values.events), workers }
const checksTimes = size.pipelines >= FULL_LENGTH && size.events >= FULL_LENGTH
const schedule = pipelineScheduleOf(seed, size)
const faults = [...Map.groupBy(schedule.faults, ({ what }) => what)]
const counts = faults.map(([what, those]) => `${those.length} ${what}`).join(', ')
print(`${size.pipelines} pipelines, ${size.events} events (${counts}), ${workers} workers, seed ${seed}`)
const hoard = Number(values.hoard)
const ran = await runPipelines(stack.env, { schedule, workers, checksTimes }, printProgress)
const failures = printOutcome(ran) + (hoard > 0 ? await printFairness() : 0)
print(failures > 0 ? `${failures} VIOLATIONS with --seed ${seed} (${minutes()})` : `fine (${minutes()})`)
process.exitCode = failures > 0 ? 1 : 0

function printOutcome(outcome: RunOutcome): number {
  const { assets, violating, recoveries, unexpectedExits, unfinished } = outcome
  const ended = Map.groupBy(assets, ({ expected }) => expected)
  const counts = [...ended].map(([expected, those]) => `${those.length} ${expected}`).join(', ')
  print(`${assets.length} assets: ${counts}; ${violating.length} wrong`)
  for (const asset of violating) printViolating(asset)
  for (const exit of unexpectedExits) print(`  VIOLATION  ${exit}`)
  if (unfinished > 0) print(`  VIOLATION  ${unfinished} steps and jobs did not finish`)
  printRecoveries(recoveries)
  const failures = violating.length + unexpectedExits.length + Math.min(1, unfinished)
  if (failures > 0) for (const fault of outcome.faults) print(`  ${fault}`)
  return failures
}

function printViolating({ violation, record, changes, lines, ...asset }: ViolatingAsset): void {
  print(`  VIOLATION  ${asset.assetId}: ${violation}`)
  print(`    ${JSON.stringify(asset)}`)
  for (const { at, what, detail } of record.timeline) {
    print(`    timeline     ${at.toISOString()} ${what}: ${detail}`)
  }
  for (const row of record.steps) print(`    row          ${JSON.stringify(row)}`)
  for (const row of record.publications) print(`    publication  ${JSON.stringify(row)}`)
  for (const change of changes) print(`    change       ${JSON.stringify(change)}`)
  for (const line of lines) print(`    log          ${line}`)
}

function printRecoveries(recoveries: readonly Recovery[]): void {
  const kinds = {
    'killed, another ID': recoveries.filter(({ what, isSameName }) => what === 'kill' && !isSameName),
    'killed, same ID': recoveries.filter(({ isSameName }) => isSameName),
    'frozen beyond its lease': recoveries.filter(({ what }) => what === 'freeze'),
  }
  print('seconds until a step was claimed again or ended, without the time of Postgres or storage outages')
  for (const [kind, those] of Object.entries(kinds)) {
    const seconds = those.map((one) => one.seconds ?? Number.POSITIVE_INFINITY)
    const sorted = seconds.toSorted((a, b) => a - b)
    const ninth = sorted[Math.floor(sorted.length * 0.9)] ?? Number.NaN
    const figures = [median(sorted), ninth, sorted.at(-1) ?? Number.NaN]
    const [middle, high, most] = figures.map((figure) => figure.toFixed(1))
    print(`  ${kind}: ${those.length} steps, median ${middle}, 90 % ${high}, max ${most}`)
  }
}

async function printFairness(): Promise<number> {
  const figures: Fairness[] = []
  for (const count of [workers, 1]) {
    figures.push(...(await measureFairness(stack.env, { workers: count, pipelines: hoard }, printProgress)))
  }
  print("wait of another organization's first video, in milliseconds:")
  printTable(figures.map(rowOf))
  return figures.filter((figure) => !isFair(figure)).length
}

function rowOf(figure: Fairness) {
  const { workers: count, step, stepMilliseconds, waitedMilliseconds, stillWaiting } = figure
  const most = Math.max(...waitedMilliseconds)
  return {
    workers: count,
    step,
    'step of the large one': stepMilliseconds,
    'waited, median': median(waitedMilliseconds),
    'waited, most': most,
    'most, in steps': (most / stepMilliseconds).toFixed(2),
    'still waiting, of the large one': stillWaiting,
    verdict: isFair(figure) ? 'fair' : 'UNFAIR',
  }
}

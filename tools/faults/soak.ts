/**
 * `pnpm faults soak`: constant load without faults. Memory, rows and objects are measured every few seconds; after the
 * warm-up, nothing may grow except what is kept for a stated time.
 *
 *   --minutes N   length of the load (10), of which the first third is the warm-up
 *   --seed N      seed of the load
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { ApiProcess, freePort, newCaller, runStack, Superuser, setUpUploads, WorkerProcess } from '@reelkeep/testkit'
import { printTable } from '../bench/support/table.ts'
import { startLoad } from '../drills/load/load.ts'
import { LoadReceiver, receiverSettings } from '../drills/load/load-receiver.ts'
import { Churn } from './mix/churn.ts'
import { growingTables, type Measures, memoryOf, objectsOf, rowsOf } from './soak/growth.ts'
import { liveHeapBytes, withInspector } from './soak/live-heap.ts'
import { type Sample, slopeOf } from './soak/slope.ts'
import { minutesOf } from './support/minutes.ts'
import { ownStack } from './support/own-stack.ts'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000_000) },
  },
})

/** Share of the run in which caches fill and memory settles. */
const WARM_UP = 1 / 3
const SAMPLES = 120
const FOLDERS_PER_CLIENT = 4
const VIDEOS_PER_MINUTE = 6
const MEGABYTE = 1024 ** 2

const settings = {
  ...receiverSettings,
  // Short, so that sessions, and files that could still arrive, end within the warm-up.
  UPLOAD_LIFETIME_SECONDS: '60',
  UPLOAD_TRANSFER_SECONDS_MAX: '10',
  UPLOAD_SWEEP_SECONDS: '2',
}

const seconds = minutesOf(values.minutes) * 60
const seed = Number(values.seed)
const print = (line: string) => process.stdout.write(`${line}\n`)
print(`pnpm faults soak --minutes ${values.minutes} --seed ${seed}`)

await runStack('wipe')
await using stack = await ownStack()
const { env } = stack
await setUpUploads(env)
const [apiInspector, workerInspector] = [await freePort(), await freePort()]
await using api = await ApiProcess.start({ ...settings, ...withInspector(apiInspector) }, env)
await using worker = await WorkerProcess.start({ settings: { ...settings, ...withInspector(workerInspector) }, env })
await using superuser = await Superuser.open(env)
const caller = await newCaller(api.send, env)
const other = await newCaller(api.send, env)
await using receiver = await LoadReceiver.open(caller)
const endpoint = { baseUrl: () => api.baseUrl }
const load = startLoad({
  ...{ api: endpoint, organizationId: caller.organizationId, token: () => caller.token, seed },
  ...{ uploadsPerMinute: 0, foldersPerClient: FOLDERS_PER_CLIENT },
})
const { organizationId, token } = other
const churn = new Churn({ api: endpoint, organizationId, token, seed, videosPerMinute: VIDEOS_PER_MINUTE })

const samples = await measureRepeatedly()
await Promise.all([load.stop(), churn.stop()])
const { created, played, deleted } = churn.counts
const { write, read } = load.record.answeredAt
print(`${write.length} writes, ${read.length} reads; ${created} videos created, ${played} played, ${deleted} deleted`)
const undelivered = await receiver.waitUntilIdle(caller)
print(`${undelivered.delivered} events delivered by webhook, ${undelivered.missing.length} missing`)
const activity = {
  writes: write.length,
  reads: read.length,
  'deleted videos': deleted,
  'delivered events': undelivered.delivered,
}
const idle = Object.entries(activity).flatMap(([what, count]) => (count > 0 ? [] : [`the load had no ${what}`]))
const violations = [...idle, ...churn.violations, ...undelivered.missing, ...printSlopes()]
for (const violation of violations) print(`  FAILED  ${violation}`)
process.exitCode = violations.length > 0 ? 1 : 0

async function measureRepeatedly(): Promise<Map<string, Sample[]>> {
  const began = performance.now()
  const since = () => (performance.now() - began) / 1000
  const series = new Map<string, Sample[]>()
  while (since() < seconds) {
    const at = since()
    for (const [name, value] of await measure()) {
      const one = series.get(name) ?? []
      series.set(name, one)
      if (at >= seconds * WARM_UP) one.push({ seconds: at, value })
    }
    await sleep(Math.max(0, (at + seconds / SAMPLES - since()) * 1000))
  }
  return series
}

async function measure(): Promise<Measures> {
  // Collects garbage, so it comes before the memory of the processes.
  const heaps: [string, number][] = [
    ['live heap of the API in MB', (await liveHeapBytes(apiInspector)) / MEGABYTE],
    ['live heap of the worker in MB', (await liveHeapBytes(workerInspector)) / MEGABYTE],
  ]
  return new Map([
    ...heaps,
    ...memoryOf('the API', api.child.pid),
    ...memoryOf('the worker', worker.child.pid),
    ...(await rowsOf(superuser)),
    ...(await objectsOf(env, 'reelkeep-uploads')),
    ...(await objectsOf(env, 'reelkeep-media')),
  ])
}

/** Prints every quantity that changed. Returns those that grew and must not. */
function printSlopes(): string[] {
  const rows = [...samples].flatMap(([name, series]) => {
    const { perHour, noisePerHour, isGrowing } = slopeOf(series)
    const kept = growingTables.find(([pattern]) => pattern.test(name.replace('rows of ', '')))?.[1]
    const figures = { last: series.at(-1)?.value.toFixed(0) ?? '', 'per hour': perHour.toFixed(1) }
    const result = kept ? `kept, ${kept}` : isGrowing ? 'GROWS' : 'constant'
    const hasChanged = series.some(({ value }) => value !== series[0]?.value)
    return hasChanged ? [{ name, ...figures, noise: noisePerHour.toFixed(1), result }] : []
  })
  printTable(rows)
  print(`${samples.size - rows.length} other quantities did not change`)
  return rows
    .filter(({ result }) => result === 'GROWS')
    .map(({ name, ...row }) => `${name}: ${row['per hour']} per hour`)
}

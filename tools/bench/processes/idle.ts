/**
 * `pnpm bench idle`: measures the CPU time that an API, a worker with all queues, and Postgres use without requests and
 * jobs. `--seconds 60` is measured after `--settle 120`: about 100 seconds after its start, V8 collects the garbage of
 * the start of a process, once, in 0.2 to 0.3 s. Run it on a new stack, without databases of tests, which autovacuum
 * visits.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { ApiProcess, resetDatabase, setUpUploads, startStack, WorkerProcess, withDatabase } from '@reelkeep/testkit'
import { cpuSecondsOf, cpuSecondsOfChildren, postmasterOf } from '../support/cpu-time.ts'
import { checkGoals } from '../support/goals.ts'
import { printTable } from '../support/table.ts'

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '60' }, settle: { type: 'string', default: '120' } },
})
const SHARE_MAX = 0.015
const SECONDS_TO_CHECK = 30

const env = withDatabase(await startStack(), 'bench_idle')
await resetDatabase(env)
await setUpUploads(env)
await using api = await ApiProcess.start({}, env)
await using worker = await WorkerProcess.start({ env, settings: {} })
const postmaster = await postmasterOf(env.DATABASE_SUPERUSER_URL)

const cpuSeconds = (): Record<string, number> => ({
  API: cpuSecondsOf(api.child.pid ?? 0),
  worker: cpuSecondsOf(worker.child.pid ?? 0),
  Postgres: cpuSecondsOfChildren(postmaster),
})

await sleep(Number(values.settle) * 1000)
const [before, start] = [cpuSeconds(), performance.now()]
await sleep(Number(values.seconds) * 1000)
const [after, seconds] = [cpuSeconds(), (performance.now() - start) / 1000]
const shares = Object.keys(before).map((name) => ({
  name,
  share: ((after[name] ?? 0) - (before[name] ?? 0)) / seconds,
}))
const total = shares.reduce((sum, { share }) => sum + share, 0)
printTable(
  [...shares, { name: 'together', share: total }].map(({ name, share }) => ({
    process: name,
    'share of a core': `${(share * 100).toFixed(2)} %`,
  })),
)
if (Number(values.seconds) >= SECONDS_TO_CHECK)
  checkGoals([{ name: 'the share of a core that an idle installation uses', value: total, max: SHARE_MAX }])

/**
 * `pnpm bench bulk`: measures bulk operations on 100,000 assets with a real API and worker: the seconds to tag and to
 * move them, the delay of requests of another organization during that time, and whether each asset has exactly one
 * event for each operation although a worker was killed during the last one.
 *
 *   --assets N   number of assets (100000); goals are checked only for this number
 *   --rounds N   how often the assets are tagged and moved (3)
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { bulkOperations } from '@reelkeep/contract'
import { type Caller, newCaller, openSession, Superuser, WorkerProcess } from '@reelkeep/testkit'
import { seedAssets } from '../assets/seed-assets.ts'
import { openBenchService } from '../support/bench-service.ts'
import { cpuSecondsOf, cpuSecondsOfChildren } from '../support/cpu-time.ts'
import { checkGoals } from '../support/goals.ts'
import { median, printTable } from '../support/table.ts'
import { sendRequests } from './neighbor.ts'

const FULL_SIZE = 100_000
const { values } = parseArgs({
  options: { assets: { type: 'string', default: String(FULL_SIZE) }, rounds: { type: 'string', default: '3' } },
})
const size = Number(values.assets)
const OPERATION_SECONDS_MAX = 60
const NEIGHBOR_RATIO_MAX = 1.2
/** How long the requests of the neighbor are measured without an operation. */
const ALONE_SECONDS = 10

await using service = await openBenchService('bench_bulk')
const { env, caller } = service
await using superuser = await Superuser.open(env)
const neighbor: Caller = await newCaller(service.send, env)
const neighborAssets: string[] = []
for (let number = 0; number < 20; number++) neighborAssets.push((await openSession(neighbor)).asset.id)
await seedAssets(superuser, { organization: caller.organizationId, count: size })
await superuser.query('set session_replication_role = origin')
let worker = await WorkerProcess.start({ env })

type Operation = bulkOperations.BulkOperation

const create = async (body: object) => {
  const { status, body: operation } = await caller.post<Operation>('bulk-operations/', body)
  if (status !== 201) throw new Error(JSON.stringify(operation))
  return operation
}

async function waitFor(id: string, isReached: (operation: Operation) => boolean): Promise<Operation> {
  for (;;) {
    const { body } = await caller.get<Operation>(`bulk-operations/${id}/`)
    if (isReached(body)) return body
    if (body.status === 'Error') throw new Error(JSON.stringify(body.error))
    await sleep(200)
  }
}
const isFinished = ({ finished_at }: Operation) => finished_at !== null

/** Runs `work` and sends requests of the neighbor at the same time. */
async function besideNeighbor<Result>(work: Promise<Result>) {
  const over = new AbortController()
  const requests = sendRequests(neighbor, neighborAssets, over.signal)
  const result = await work.finally(() => over.abort())
  return { result, times: await requests }
}

const cpu = () => ({
  worker: cpuSecondsOf(worker.child.pid ?? 0),
  postgres: cpuSecondsOfChildren(service.postmaster),
})

const alone: number[] = []
const beside: number[] = []
const rows: Record<string, string | number>[] = []
const seconds: Record<string, number[]> = {}

async function measure(name: string, body: object): Promise<void> {
  alone.push(...(await besideNeighbor(sleep(ALONE_SECONDS * 1000))).times)
  const before = cpu()
  const start = performance.now()
  const { id } = await create(body)
  const created = performance.now()
  const { times } = await besideNeighbor(waitFor(id, isFinished))
  const taken = (performance.now() - start) / 1000
  const after = cpu()
  beside.push(...times)
  seconds[name] = [...(seconds[name] ?? []), taken]
  rows.push({
    operation: name,
    assets: size,
    seconds: taken.toFixed(1),
    'to create it, ms': Math.round(created - start),
    'CPU s: worker': (after.worker - before.worker).toFixed(1),
    Postgres: (after.postgres - before.postgres).toFixed(1),
    'neighbor, p50 ms': median(times).toFixed(1),
  })
}

const folderOf = async (title: string) => (await caller.post<{ uuid: string }>('assets/folders/', { title })).body.uuid

const rounds = Number(values.rounds)
for (let round = 0; round < rounds; round++) {
  await measure('add_tags', { action: 'add_tags', filter: {}, tags: [`bulk ${round}`] })
  await measure('move', { action: 'move', filter: {}, folder: await folderOf(`Folder ${round}`) })
}

/** Kills the worker after a fifth of the assets, and starts another one. */
async function killDuring(body: object): Promise<Operation> {
  const { id, progress } = await create(body)
  const { progress: atKill } = await waitFor(id, ({ progress: { done } }) => done >= progress.total / 5)
  await worker.stop('SIGKILL')
  process.stdout.write(`\nkill -9 after ${atKill.done} of ${atKill.total} assets.\n`)
  worker = await WorkerProcess.start({ env })
  return waitFor(id, isFinished)
}

/** Numbers of assets whose events are not exactly as many as the operations that changed them. */
async function countWrong(expected: number) {
  while (
    (await superuser.query('select from event_outbox where organization_id = $1 limit 1', [caller.organizationId]))
      .length
  )
    await caller.get('events/?limit=1')
  const [row] = await superuser.query<{ assets: number; lost: number; doubled: number }>(
    `select count(*)::int as assets, count(*) filter (where events < $2)::int as lost,
       count(*) filter (where events > $2)::int as doubled
     from (select (select count(*) from events where events.organization_id = $1 and events.asset_id = assets.id
         and type = 'asset.updated') as events
       from assets where organization_id = $1) as counted`,
    [caller.organizationId, expected],
  )
  return row ?? { assets: 0, lost: 0, doubled: 0 }
}

printTable(rows)
const ratio = median(beside) / median(alone)
process.stdout.write(
  `\nRequests of another organization: ${median(alone).toFixed(1)} ms alone, ${median(beside).toFixed(1)} ms beside ` +
    `(medians of ${alone.length} and ${beside.length}), ${ratio.toFixed(2)} times.\n`,
)
const killed = await killDuring({ action: 'set_metadata', filter: {}, metadata: { bulk: 'killed' } })
const wrong = await countWrong(rounds * 2 + 1)
process.stdout.write(
  `${killed.status}: ${killed.progress.done} done, ${killed.progress.failed} failed. Events of ${wrong.assets} assets: ` +
    `${wrong.lost} lost, ${wrong.doubled} doubled.\n`,
)
await worker[Symbol.asyncDispose]()
checkGoals([
  { name: 'lost or doubled events', value: wrong.lost + wrong.doubled, max: 0 },
  ...(size === FULL_SIZE
    ? [
        { name: 'seconds of add_tags', value: median(seconds['add_tags'] ?? []), max: OPERATION_SECONDS_MAX },
        { name: 'seconds of move', value: median(seconds['move'] ?? []), max: OPERATION_SECONDS_MAX },
        { name: 'ratio of the neighbor', value: ratio, max: NEIGHBOR_RATIO_MAX },
      ]
    : []),
])

/**
 * Measures the cost of claiming a step, and the rate of finished steps, while a thousand to a million pipelines of one
 * or a thousand organizations wait.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { OrganizationId } from '@reelkeep/server/kernel/ids.ts'
import { queueNames } from '@reelkeep/server/kernel/queues.ts'
import { selectDue } from '@reelkeep/server/modules/pipeline/pipeline.store.ts'
import { Database } from '@reelkeep/server/platform/db/database.ts'
import { oldestWaits } from '@reelkeep/server/platform/jobs/engine/backlog/queue-backlog.store.ts'
import { WorkerProcess } from '@reelkeep/testkit'
import type { Goal } from '../support/goals.ts'
import { openStatementTimes, statementKinds } from '../support/statement-times.ts'
import { median } from '../support/table.ts'
import {
  type BenchAsset,
  enqueuePipeline,
  newAssets,
  newOrganizations,
  type PipelineFixture,
} from './pipeline-fixture.ts'
import { generous, limitQueue, type QueueLimits } from './queue-limits.ts'
import { seedPipelines } from './seed-pipelines.ts'

/**
 * Number of additional organizations whose first step is timed. Their pipelines are enqueued one after the other while
 * other work is processed.
 */
const NEWCOMERS = 40
const NEWCOMER_EVERY_MS = 75
const WARM_UP_MS = 2500
const MOST = 0.75
const CLAIMED_WITHIN_MS = 120_000
const QUERY_RUNS = 15

/** Limits for many waiting organizations: each organization gets one job per worker at a time. */
export const oneEach: QueueLimits = { ...generous, partitionWorkerConcurrency: 1 }

export type Growth = { readonly size: number; readonly figures: Record<string, number> }

type Waiting = {
  readonly organizations: readonly OrganizationId[]
  readonly limits: QueueLimits
  readonly sizes: readonly number[]
}

export async function measureGrowth(
  fixture: PipelineFixture,
  { organizations, limits, sizes }: Waiting,
  progress: (line: string) => void,
): Promise<Growth[]> {
  const grown: Growth[] = []
  let seeded = 0
  for (const size of sizes) {
    await seedPipelines(fixture, organizations, { from: seeded, to: size })
    seeded = size
    const figures = await measureAt(fixture, limits)
    progress(`measured with ${size.toLocaleString('en')} waiting`)
    grown.push({ size, figures })
  }
  return grown
}

async function measureAt(fixture: PipelineFixture, limits: QueueLimits) {
  const { env, superuser } = fixture
  const newcomers = await newAssets(fixture, await newOrganizations(fixture, NEWCOMERS), NEWCOMERS)
  const queries = await timeQueries(fixture)
  await using times = await openStatementTimes(env)
  await using _worker = await WorkerProcess.start({
    entry: 'tools/bench/pipeline/pipeline-worker.ts',
    env,
  })
  await limitQueue(superuser, 'probe', limits)
  await sleep(WARM_UP_MS)
  await times.reset()
  const before = { at: performance.now(), done: await stepsDone(fixture) }
  for (const newcomer of newcomers) {
    await enqueuePipeline(fixture, newcomer)
    await sleep(NEWCOMER_EVERY_MS)
  }
  const seconds = (performance.now() - before.at) / 1000
  const perSecond = ((await stepsDone(fixture)) - before.done) / seconds
  const latencies = await claimLatencies(fixture, newcomers)
  const figures: Record<string, number> = {
    "another organization's first step claimed after, ms": median(latencies),
  }
  for (const kind of statementKinds) figures[`${kind}, ms`] = await times.meanOf(kind)
  return { ...figures, 'steps done/s': perSecond, ...queries }
}

/**
 * Returns the times from enqueueing a pipeline until a worker has started it. Organizations are served in random
 * order, so the last ones may wait long. Returns when most have been served; the others count as infinite.
 */
async function claimLatencies({ superuser }: PipelineFixture, newcomers: readonly BenchAsset[]): Promise<number[]> {
  const deadline = performance.now() + CLAIMED_WITHIN_MS
  for (;;) {
    const rows = await superuser.query<{ ms: number }>(
      `select (extract(epoch from started.at - enqueued.at) * 1000)::float8 as ms
       from unnest($1::text[], $2::text[]) as newcomer (organization_id, id)
       join asset_happenings enqueued on enqueued.organization_id = newcomer.organization_id
         and enqueued.asset_id = newcomer.id::uuid and enqueued.what = 'uploaded'
       join asset_happenings started on started.organization_id = newcomer.organization_id
         and started.asset_id = newcomer.id::uuid and started.what = 'processing_started'`,
      [newcomers.map(({ organizationId }) => organizationId), newcomers.map(({ id }) => id)],
    )
    if (rows.length >= newcomers.length * MOST) {
      const late = newcomers.slice(rows.length).map(() => Number.POSITIVE_INFINITY)
      return [...rows.map(({ ms }) => ms), ...late]
    }
    if (performance.now() > deadline) throw new Error(`Only ${rows.length} were claimed`)
    await sleep(100)
  }
}

async function stepsDone({ superuser }: PipelineFixture): Promise<number> {
  const [row] = await superuser.query<{ done: number }>(
    `select count(*)::int as done from dbos.workflow_status where completed_at is not null`,
  )
  return row?.done ?? 0
}

/** Times the periodic queries of a worker that do not claim steps. */
async function timeQueries({ env }: PipelineFixture): Promise<Record<string, number>> {
  await using database = new Database(
    { url: env.DATABASE_WORKER_URL, connectionsMax: 4, statementTimeoutSeconds: 60 },
    () => {},
  )
  return {
    'watchdog’s query, ms': await timeOf(() => selectDue(database, 500)),
    'jobs_waiting_seconds, ms': await timeOf(() => oldestWaits(database, queueNames)),
  }
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = []
  for (let run = 0; run <= QUERY_RUNS; run++) {
    const start = performance.now()
    await work()
    // The first run is not counted, because it opens the connection.
    if (run > 0) times.push(performance.now() - start)
  }
  return median(times)
}

/**
 * Returns the exponent with which the figure grows with the number of waiting pipelines: 0 is constant, 1 is
 * proportional. Fits a line on a log-log scale.
 */
function exponentOf(grown: readonly Growth[], figure: string): number {
  const points = grown.map(({ size, figures }) => [Math.log(size), Math.log(figures[figure] ?? Number.NaN)])
  const mean = (axis: 0 | 1) => points.reduce((sum, point) => sum + (point[axis] ?? 0), 0) / points.length
  const [x, y] = [mean(0), mean(1)]
  const slope = points.reduce((sum, [px = 0, py = 0]) => sum + (px - x) * (py - y), 0)
  return slope / points.reduce((sum, [px = 0]) => sum + (px - x) ** 2, 0)
}

/** No statement may become much slower with the number of waiting pipelines. */
export const growthGoals = (grown: readonly Growth[], max: number): Goal[] =>
  statementKinds.map((kind) => ({
    name: `the exponent of "${kind}"`,
    value: exponentOf(grown, `${kind}, ms`),
    max,
  }))

/** Returns a table with a row for each figure, and columns for each number of waiting pipelines and the exponent. */
export function growthRows(grown: readonly Growth[]) {
  return Object.keys(grown[0]?.figures ?? {}).map((figure) => ({
    figure,
    ...Object.fromEntries(
      grown.map(({ size, figures }) => [size.toLocaleString('en'), precise(figures[figure] ?? Number.NaN)]),
    ),
    exponent: grown.length > 1 ? exponentOf(grown, figure).toFixed(2) : '–',
  }))
}

const precise = (value: number) => (value < 10 ? value.toFixed(3) : value.toFixed(0))

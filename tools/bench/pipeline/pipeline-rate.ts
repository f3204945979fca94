/** Measures steps per second in the pipeline and workflows per second in the DBOS queue, alternately. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { OrganizationId } from '@reelkeep/server/kernel/ids.ts'
import { WorkerProcess } from '@reelkeep/testkit'
import { openBareClient } from '../baselines/bare-queue.ts'
import { startBareServer } from '../support/compare.ts'
import { cpuSecondsOf, cpuSecondsOfChildren } from '../support/cpu-time.ts'
import { inFlight } from '../support/in-flight.ts'
import { median } from '../support/table.ts'
import { CALLERS, enqueuePipeline, newAssets, numbersTo, type PipelineFixture } from './pipeline-fixture.ts'
import { generous, limitQueue } from './queue-limits.ts'
import { trivialStages } from './trivial-steps.ts'

/**
 * Share of the work that is measured. At the beginning, code is compiled and connections are opened; at the end, the
 * queue runs empty.
 */
const MEASURED = { from: 0.2, to: 0.9 }
const POLL_MS = 100

type Workers = AsyncDisposable & { readonly pids: readonly number[] }
type Side = {
  /** Enqueues all pipelines or workflows. Resolves with the number enqueued per second. */
  readonly enqueueAll: () => Promise<number>
  readonly start: () => Promise<Workers>
}
type Round = {
  readonly enqueuedPerSecond: number
  readonly perSecond: number
  readonly workerMilliseconds: number
  readonly postgresMilliseconds: number
}
export type RateOptions = {
  readonly organizations: readonly OrganizationId[]
  readonly pipelines: number
  readonly workers: number
  readonly rounds: number
}

export async function compareRates(fixture: PipelineFixture, options: RateOptions) {
  const steps = options.pipelines * trivialStages.length
  const sides = { bare: bareSide(fixture, options, steps), ours: ourSide(fixture, options) }
  const rounds = { bare: [] as Round[], ours: [] as Round[] }
  for (let round = 0; round < options.rounds; round++) {
    // The order changes every round, so that other load on the machine affects both sides.
    const order = round % 2 === 0 ? (['bare', 'ours'] as const) : (['ours', 'bare'] as const)
    for (const side of order) rounds[side].push(await measure(fixture, sides[side], steps))
  }
  return { rows: rowsOf(rounds), doneRatio: median(ratiosOf(rounds, 'perSecond')) }
}

function ourSide(fixture: PipelineFixture, { organizations, pipelines, workers }: RateOptions): Side {
  const { env, superuser } = fixture
  return {
    enqueueAll: async () => {
      const assets = await newAssets(fixture, organizations, pipelines)
      return rateOf(assets, (asset) => enqueuePipeline(fixture, asset))
    },
    start: async () => {
      const entry = 'tools/bench/pipeline/pipeline-worker.ts'
      const started = await Promise.all(
        numbersTo(workers).map((number) =>
          WorkerProcess.start({ entry, env, settings: { WORKER_ID: `bench-${number}` } }),
        ),
      )
      await limitQueue(superuser, 'probe', generous)
      return {
        pids: started.map(({ child }) => child.pid ?? 0),
        [Symbol.asyncDispose]: async () => {
          await Promise.all(started.map((worker) => worker[Symbol.asyncDispose]()))
        },
      }
    },
  }
}

function bareSide({ env }: PipelineFixture, { organizations, workers }: RateOptions, workflows: number): Side {
  const url = env.DATABASE_WORKER_URL
  return {
    enqueueAll: async () => {
      await using client = await openBareClient(url, CALLERS)
      return await rateOf(numbersTo(workflows), (number) =>
        client.enqueue(organizations[number % organizations.length] ?? ''),
      )
    },
    start: async () => {
      const started = await Promise.all(
        numbersTo(workers).map((number) =>
          startBareServer('bare-queue-worker.ts', [url, `bare-${number}`, JSON.stringify(generous)]),
        ),
      )
      return {
        pids: started.map(({ pid }) => pid),
        [Symbol.asyncDispose]: async () => {
          for (const worker of started) worker[Symbol.dispose]()
        },
      }
    },
  }
}

async function rateOf<Item>(items: readonly Item[], work: (item: Item) => Promise<unknown>) {
  const start = performance.now()
  await inFlight(items, CALLERS, work)
  return items.length / ((performance.now() - start) / 1000)
}

async function measure(fixture: PipelineFixture, side: Side, steps: number): Promise<Round> {
  await clearTables(fixture)
  const enqueuedPerSecond = await side.enqueueAll()
  // Updates the planner's statistics. Without them, prepared plans may assume empty tables.
  await fixture.superuser.query('vacuum (analyze)')
  await using workers = await side.start()
  const state = () => ({
    at: performance.now(),
    workerSeconds: workers.pids.reduce((sum, pid) => sum + cpuSecondsOf(pid), 0),
    postgresSeconds: cpuSecondsOfChildren(fixture.postmaster),
  })
  const first = await untilDone(fixture, steps * MEASURED.from)
  const before = state()
  const last = await untilDone(fixture, steps * MEASURED.to)
  const after = state()
  const done = last - first
  return {
    enqueuedPerSecond,
    perSecond: done / ((after.at - before.at) / 1000),
    workerMilliseconds: ((after.workerSeconds - before.workerSeconds) * 1000) / done,
    postgresMilliseconds: ((after.postgresSeconds - before.postgresSeconds) * 1000) / done,
  }
}

/** Waits until at least `wanted` workflows have finished. Resolves with their number. */
async function untilDone({ superuser }: PipelineFixture, wanted: number): Promise<number> {
  for (;;) {
    const [row] = await superuser.query<{ done: number }>(
      `select count(*)::int as done from dbos.workflow_status where status = 'SUCCESS'`,
    )
    if (row && row.done >= wanted) return row.done
    await sleep(POLL_MS)
  }
}

/** Empties the tables, so that both sides start with the same state. */
async function clearTables({ superuser }: PipelineFixture): Promise<void> {
  await superuser.query('truncate assets, dbos.workflow_status cascade')
  await superuser.query('truncate dbos.workflow_input, dbos.workflow_output')
}

type Rounds = { readonly bare: readonly Round[]; readonly ours: readonly Round[] }

/** Returns the ratio of the pipeline to the bare queue in each round. */
const ratiosOf = (rounds: Rounds, key: keyof Round) =>
  rounds.ours.map((ours, round) => ours[key] / (rounds.bare[round]?.[key] ?? Number.NaN))

function rowsOf(rounds: Rounds) {
  const figures = [
    ['enqueued/s (pipelines, workflows)', 'enqueuedPerSecond'],
    ['done/s (steps, workflows)', 'perSecond'],
    ['worker, CPU ms each', 'workerMilliseconds'],
    ['Postgres, CPU ms each', 'postgresMilliseconds'],
  ] as const
  return figures.map(([figure, key]) => {
    const ratios = ratiosOf(rounds, key)
    const of = (side: readonly Round[]) => precise(median(side.map((one) => one[key])))
    return {
      figure,
      'bare queue': of(rounds.bare),
      pipeline: of(rounds.ours),
      'pipeline / bare': median(ratios).toFixed(2),
      'of all rounds': `${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)}`,
    }
  })
}

const precise = (value: number) => (value < 10 ? value.toFixed(2) : Math.round(value).toString())

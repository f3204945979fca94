/** Measures the cost of one poll for Postgres, depending on the number of waiting organizations. */
import { setTimeout as sleep } from 'node:timers/promises'
import { WorkerProcess } from '@reelkeep/testkit'
import { openStatementTimes } from '../support/statement-times.ts'
import { newOrganizations, openPipelineFixture } from './pipeline-fixture.ts'
import { generous, limitQueue } from './queue-limits.ts'
import { seedPipelines } from './seed-pipelines.ts'

const WARM_UP_MS = 2500
const MEASURED_MS = 4000
/** Number of pipelines per organization, so high that no queue runs empty during the measurement. */
const PIPELINES_EACH = 10
const PIPELINES_MIN = 1000

/** Limits with one job at a time, so that Postgres has hardly any work besides polls. */
const polling = { ...generous, workerConcurrency: 1, partitionWorkerConcurrency: 1 }

export async function costOfPolls(counts: readonly number[]) {
  const rows: Record<string, string | number>[] = []
  for (const count of counts) {
    await using fixture = await openPipelineFixture('bench_pipeline')
    const { env, superuser } = fixture
    const to = Math.max(count * PIPELINES_EACH, PIPELINES_MIN)
    await seedPipelines(fixture, await newOrganizations(fixture, count), { from: 0, to })
    await using times = await openStatementTimes(env)
    await using _worker = await WorkerProcess.start({
      entry: 'tools/bench/pipeline/pipeline-worker.ts',
      env,
    })
    await limitQueue(superuser, 'probe', polling)
    await sleep(WARM_UP_MS)
    await times.reset()
    await sleep(MEASURED_MS)
    rows.push(rowOf(count, await times.meanOf('which organizations wait')))
  }
  return rows
}

const rowOf = (count: number, milliseconds: number) => ({
  'organizations waiting': count.toLocaleString('en'),
  'a poll, ms': milliseconds.toFixed(2),
  'µs per organization': ((milliseconds / count) * 1000).toFixed(1),
  'workers that fill a core, polling every 250 ms': Math.floor(250 / milliseconds),
})

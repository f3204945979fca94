/**
 * Measures the delivery rate with a large backlog, compared to plain undici that posts the same bodies to the same
 * receivers.
 */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { root } from '@reelkeep/testkit'
import { cpuSecondsOfChildren } from '../support/cpu-time.ts'
import { inFlight } from '../support/in-flight.ts'
import { startBenchWorkers, untilArrived } from './webhook-delays.ts'
import type { WebhookFixture } from './webhook-organizations.ts'

const run = promisify(execFile)

const WRITERS = 16
const BARE_IN_FLIGHT = 64
/** Share of the deliveries that is measured, while the queue is long. */
const MEASURED = { from: 0.1, to: 0.9 }

export type Rate = {
  readonly perSecond: number
  /** CPU time of the delivering process. */
  readonly cpuMicroseconds: number
  readonly postgresMicroseconds: number
}

type Backlog = { readonly first: number; readonly count: number; readonly workers: number }

export async function measureRates(fixture: WebhookFixture, backlog: Backlog) {
  const numbers = Array.from({ length: backlog.count }, (_, index) => backlog.first + index)
  const delivered: number[] = []
  await inFlight(numbers, WRITERS, async (number) => {
    if ((await fixture.change(number)) === 'responding') delivered.push(number)
  })
  const ours = await deliverAll(fixture, delivered, backlog.workers)
  return { ours, bare: await postAll(fixture, backlog.first) }
}

async function deliverAll(fixture: WebhookFixture, numbers: readonly number[], count: number): Promise<Rate> {
  await using workers = await startBenchWorkers(fixture, count)
  const postgres = cpuSecondsOfChildren(fixture.postmaster)
  const arrivals = await untilArrived(fixture, numbers)
  const times = numbers.map((number) => arrivals.get(number)?.at ?? Number.NaN).sort((a, b) => a - b)
  if (times.some(Number.isNaN)) throw new Error('Not all waiting events have arrived')
  const at = (fraction: number) => Math.floor(fraction * (times.length - 1))
  const [from, to] = [at(MEASURED.from), at(MEASURED.to)]
  const milliseconds = (times[to] ?? 0) - (times[from] ?? 0)
  return {
    perSecond: ((to - from) * 1000) / milliseconds,
    // Includes the CPU time that the worker needs to start.
    cpuMicroseconds: (workers.cpuSeconds() * 1e6) / times.length,
    postgresMicroseconds: ((cpuSecondsOfChildren(fixture.postmaster) - postgres) * 1e6) / times.length,
  }
}

async function postAll(fixture: WebhookFixture, first: number): Promise<Rate> {
  const folder = mkdtempSync(join(tmpdir(), 'bodies-'))
  const file = join(folder, 'bodies')
  const posts = await fixture.posts(first)
  writeFileSync(file, posts.map((post) => post.join('\t')).join('\n'))
  const script = join(root, 'tools/bench/baselines/bare-webhooks.ts')
  const { stdout } = await run(process.execPath, [script, file, String(BARE_IN_FLIGHT)])
  rmSync(folder, { recursive: true })
  return { ...(JSON.parse(stdout) as Rate), postgresMicroseconds: 0 }
}

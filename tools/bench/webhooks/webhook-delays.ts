/**
 * Measures the delay of deliveries at the receivers. Changes are made at fixed times, even if the service does not keep
 * up.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { WorkerProcess } from '@reelkeep/testkit'
import { cpuSecondsOf, cpuSecondsOfChildren } from '../support/cpu-time.ts'
import { type WebhookFixture, webhookSettings } from './webhook-organizations.ts'

/** Time limit for all arrivals after the last change. */
const ARRIVAL_SECONDS_MAX = 60
const POLL_MS = 500

/**
 * Time that is not measured, in which connections are opened and Postgres plans the first executions of each statement.
 */
const WARM_UP_SECONDS = 3

export type Delays = {
  readonly changes: number
  /** Number of the next change, after all measured ones. */
  readonly next: number
  /** Changes that the overloaded API rejected. */
  readonly rejected: number
  /** Events that arrived at receivers that respond. */
  readonly arrived: number
  readonly missing: number
  /** Time from the write of an event, just before the commit, to its arrival; sorted. */
  readonly milliseconds: readonly number[]
  /** Time from when a change was due to the response of the API; sorted. */
  readonly apiMilliseconds: readonly number[]
  readonly workerMicroseconds: number
  /** CPU time of the API per delivery, including the change itself and the sequencing of its event. */
  readonly apiMicroseconds: number
  readonly postgresMicroseconds: number
}

export async function startBenchWorkers({ env }: WebhookFixture, count: number) {
  const started = await Promise.all(
    Array.from({ length: count }, (_, number) =>
      WorkerProcess.start({
        env,
        settings: { ...webhookSettings, WORKER_ID: `bench-${number}`, WORKER_QUEUES: 'light' },
      }),
    ),
  )
  return {
    cpuSeconds: () => started.reduce((sum, { child }) => sum + cpuSecondsOf(child.pid ?? 0), 0),
    [Symbol.asyncDispose]: async () => {
      await Promise.all(started.map((worker) => worker[Symbol.asyncDispose]()))
    },
  }
}

type Load = { readonly seconds: number; readonly rate: number; readonly workers: number }

export async function measureDelays(fixture: WebhookFixture, { seconds, rate, workers: count }: Load): Promise<Delays> {
  await using workers = await startBenchWorkers(fixture, count)
  await changeAtFixedTimes(fixture, { first: 0, seconds: WARM_UP_SECONDS, rate })
  const cpuSeconds = () => ({
    worker: workers.cpuSeconds(),
    api: fixture.apiCpuSeconds(),
    postgres: cpuSecondsOfChildren(fixture.postmaster),
  })
  const before = cpuSeconds()
  const first = WARM_UP_SECONDS * rate
  const { responseTimes, rejected } = await changeAtFixedTimes(fixture, { first, seconds, rate })
  const numbers = [...responseTimes.keys()]
  const arrivals = await untilArrived(fixture, numbers)
  const after = cpuSeconds()
  const perDelivery = (part: keyof typeof after) => ((after[part] - before[part]) * 1e6) / numbers.length
  const delays = numbers.flatMap((number) => {
    const arrival = arrivals.get(number)
    return arrival ? [arrival.at - arrival.writtenAt] : []
  })
  return {
    changes: seconds * rate,
    next: first + seconds * rate,
    rejected,
    arrived: delays.length,
    missing: numbers.length - delays.length,
    milliseconds: delays.toSorted((a, b) => a - b),
    apiMilliseconds: [...responseTimes.values()].toSorted((a, b) => a - b),
    workerMicroseconds: perDelivery('worker'),
    apiMicroseconds: perDelivery('api'),
    postgresMicroseconds: perDelivery('postgres'),
  }
}

/**
 * Starts each change at its time, even if earlier changes are still in progress. Returns the API's response times for
 * changes that are delivered to a receiver that responds.
 */
async function changeAtFixedTimes(
  fixture: WebhookFixture,
  { first, seconds, rate }: { first: number; seconds: number; rate: number },
) {
  const responseTimes = new Map<number, number>()
  const changes: Promise<void>[] = []
  let rejected = 0
  const startedAt = performance.now()
  for (let index = 0; index < seconds * rate; index++) {
    const due = startedAt + (index * 1000) / rate
    await sleep(Math.max(0, due - performance.now()))
    const change = fixture.change(first + index).then((outcome) => {
      if (outcome === 'responding') responseTimes.set(first + index, performance.now() - due)
      if (outcome === 'rejected') rejected++
    })
    changes.push(change)
  }
  await Promise.all(changes)
  return { responseTimes, rejected }
}

/** Waits until the events of these changes have arrived, or the time limit passes. */
export async function untilArrived(fixture: WebhookFixture, numbers: readonly number[]) {
  const deadline = performance.now() + ARRIVAL_SECONDS_MAX * 1000
  for (;;) {
    const arrivals = await fixture.arrivals()
    const haveArrived = numbers.every((number) => arrivals.has(number))
    if (haveArrived || performance.now() > deadline) return arrivals
    await sleep(POLL_MS)
  }
}

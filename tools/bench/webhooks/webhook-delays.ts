/** Delay of deliveries at the receivers. Changes come at fixed times, whether or not the service keeps up. */
import { setTimeout as sleep } from 'node:timers/promises'
import { WorkerProcess } from '@reelkeep/testkit'
import { cpuSecondsOf, cpuSecondsOfChildren } from '../support/cpu-time.ts'
import { type WebhookStage, webhookSettings } from './webhook-organizations.ts'

/** Time limit for all arrivals after the last change. */
const ARRIVAL_SECONDS_MAX = 60
const LOOK_MS = 500

/**
 * Not measured: connections are opened, and Postgres plans the first executions of each statement on each of them.
 */
const WARM_UP_SECONDS = 3

export type Delays = {
  readonly changes: number
  /** The number of the next change. */
  readonly next: number
  /** Refused by the overloaded API. */
  readonly refused: number
  /** At receivers that answer. */
  readonly arrived: number
  readonly missing: number
  /** From when the event was written, just before the commit, to its arrival; sorted. */
  readonly milliseconds: readonly number[]
  /** From when a change was due to the API's response; sorted. */
  readonly apiMilliseconds: readonly number[]
  readonly workerMicroseconds: number
  /** Including all work for a change and its sequencing. */
  readonly apiMicroseconds: number
  readonly postgresMicroseconds: number
}

export async function startBenchWorkers({ env }: WebhookStage, count: number) {
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

export async function measureDelays(
  fixture: WebhookStage,
  { seconds, rate, workers: count }: Load,
): Promise<Delays> {
  await using workers = await startBenchWorkers(fixture, count)
  await changeByTheClock(fixture, { first: 0, seconds: WARM_UP_SECONDS, rate })
  const cpuSeconds = () => ({
    worker: workers.cpuSeconds(),
    api: fixture.apiCpuSeconds(),
    postgres: cpuSecondsOfChildren(fixture.postmaster),
  })
  const before = cpuSeconds()
  const first = WARM_UP_SECONDS * rate
  const { answeredAfter, refused } = await changeByTheClock(fixture, { first, seconds, rate })
  const numbers = [...answeredAfter.keys()]
  const arrivals = await untilArrived(fixture, numbers)
  const after = cpuSeconds()
  const perDelivery = (part: keyof typeof after) =>
    ((after[part] - before[part]) * 1e6) / numbers.length
  const waited = numbers.flatMap((number) => {
    const arrival = arrivals.get(number)
    return arrival ? [arrival.at - arrival.writtenAt] : []
  })
  return {
    changes: seconds * rate,
    next: first + seconds * rate,
    refused,
    arrived: waited.length,
    missing: numbers.length - waited.length,
    milliseconds: waited.toSorted((a, b) => a - b),
    apiMilliseconds: [...answeredAfter.values()].toSorted((a, b) => a - b),
    workerMicroseconds: perDelivery('worker'),
    apiMicroseconds: perDelivery('api'),
    postgresMicroseconds: perDelivery('postgres'),
  }
}

/**
 * Starts each change at its time, however many are in progress. Returns the durations of those delivered to a receiver
 * that answers.
 */
async function changeByTheClock(
  fixture: WebhookStage,
  { first, seconds, rate }: { first: number; seconds: number; rate: number },
) {
  const answeredAfter = new Map<number, number>()
  const made: Promise<void>[] = []
  let refused = 0
  const began = performance.now()
  for (let index = 0; index < seconds * rate; index++) {
    const due = began + (index * 1000) / rate
    await sleep(Math.max(0, due - performance.now()))
    const change = fixture.change(first + index).then((became) => {
      if (became === 'answered') answeredAfter.set(first + index, performance.now() - due)
      if (became === 'refused') refused++
    })
    made.push(change)
  }
  await Promise.all(made)
  return { answeredAfter, refused }
}

/** Waits until all of these have arrived, or the time limit passes. */
export async function untilArrived(fixture: WebhookStage, numbers: readonly number[]) {
  const deadline = performance.now() + ARRIVAL_SECONDS_MAX * 1000
  for (;;) {
    const arrivals = await fixture.arrivals()
    const isOver = numbers.every((number) => arrivals.has(number))
    if (isOver || performance.now() > deadline) return arrivals
    await sleep(LOOK_MS)
  }
}

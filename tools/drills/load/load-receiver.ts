/**
 * A webhook receiver that runs during a load drill. At the end it must have received every event it subscribes to:
 * signed, in order for each subject, and repeated only if a delivery was interrupted.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { events } from '@reelkeep/contract'
import { type Caller, freePort } from '@reelkeep/testkit'
import { deliveryViolations, missingAt, waitUntilDelivered } from '../../faults/events/event-invariants.ts'
import { readLog } from '../../faults/events/event-log.ts'
import { EventReceiver, type ReceiverMode } from '../../faults/events/event-receiver.ts'
import type { DrillReport } from '../support/drill-report.ts'

/** The receiver listens on this machine, so the API and the workers must allow loopback addresses. */
export const receiverSettings = { WEBHOOK_DEVELOPMENT_NETWORKS: '127.0.0.0/8:*' }

/** Maximum number of concurrent deliveries to one webhook. An interruption may repeat all of them: decision 20. */
const IN_FLIGHT_MAX = 8
/** Allowed interruptions beyond the expected ones: on an overloaded machine, a worker's lease may expire once. */
const UNEXPECTED_INTERRUPTIONS = 1
const IDLE_SECONDS_MAX = 180
const POLL_MILLISECONDS = 200

/** The received deliveries and the violations. */
type DeliveryReport = {
  readonly delivered: number
  /** Number of arrivals, not counting the first arrival of each event. */
  readonly repeated: number
  readonly missing: readonly string[]
  readonly violations: readonly string[]
  /** Deliveries that are pending or have failed in the service. */
  readonly undelivered: readonly string[]
}

type CheckOptions = {
  /** Name of the load in the report. */
  readonly name: string
  /** How often the dispatcher was killed or could not record a result. */
  readonly interruptions: number
}

export class LoadReceiver implements AsyncDisposable {
  readonly #receiver: EventReceiver
  readonly #webhookId: string
  /** Number of the last event before the webhook was created. */
  readonly #since: number

  private constructor(receiver: EventReceiver, webhookId: string, since: number) {
    this.#receiver = receiver
    this.#webhookId = webhookId
    this.#since = since
  }

  /** Starts the receiver and creates its webhook. `types` are the event types to receive; an empty list means all. */
  static async open(caller: Caller, types: readonly string[] = []): Promise<LoadReceiver> {
    const receiver = await EventReceiver.open(await freePort(), types)
    // Reading the log sequences pending events, so none of them is delivered to a webhook created afterwards.
    const since = (await readLog(caller)).at(-1)?.number ?? 0
    return new LoadReceiver(receiver, await receiver.subscribe(caller), since)
  }

  /** Makes the receiver fail in this way from then on. */
  setMode(mode: ReceiverMode): Promise<void> {
    return this.#receiver.setMode(mode)
  }

  /** Checks all deliveries. */
  async check(report: DrillReport, caller: Caller, { name, interruptions }: CheckOptions): Promise<void> {
    const { delivered, repeated, missing, violations, undelivered } = await this.waitUntilIdle(caller)
    const repeatedMax = IN_FLIGHT_MAX * (interruptions + UNEXPECTED_INTERRUPTIONS)
    report.check(`${name}: delivered by webhook`, `${delivered} events, ${repeated} of them again`, {
      isPassed: delivered > 0 && repeated <= repeatedMax,
    })
    report.checkNone(`${name}: never delivered by webhook`, missing)
    report.checkNone(`${name}: delivered unsigned, unsubscribed, changed, or out of order`, violations)
    report.checkNone(`${name}: deliveries pending or failed at the end`, undelivered)
  }

  /** Waits until the log stops growing and all of it was delivered, or the time limit passes. */
  async waitUntilIdle(caller: Caller, timeoutSeconds = IDLE_SECONDS_MAX): Promise<DeliveryReport> {
    const deadline = performance.now() + timeoutSeconds * 1000
    for (;;) {
      const log = (await readLog(caller)).filter(({ number }) => number > this.#since)
      await waitUntilDelivered(this.#receiver, log, deadline)
      const undelivered = await this.#undelivered(caller)
      const last = log.at(-1)?.number ?? this.#since
      const isIdle = undelivered.length === 0 && !(await hasGrown(caller, last))
      if (isIdle || performance.now() > deadline) return this.#deliveryReport(log, undelivered)
      await sleep(POLL_MILLISECONDS)
    }
  }

  #deliveryReport(log: readonly events.Event[], undelivered: readonly string[]): DeliveryReport {
    const { delivered, arrivals } = this.#receiver
    return {
      ...{ delivered, repeated: arrivals.length - delivered, undelivered },
      missing: missingAt(this.#receiver, log).map((event) => JSON.stringify(event)),
      violations: deliveryViolations(this.#receiver, log),
    }
  }

  async #undelivered(caller: Caller): Promise<string[]> {
    const found: string[] = []
    for (const state of ['waiting', 'failed']) {
      const path = `webhooks/${this.#webhookId}/deliveries/?state=${state}`
      const { status, body, text } = await caller.get<{ results: object[] }>(path)
      if (status !== 200) throw new Error(`${path} returned ${text}`)
      found.push(...body.results.map((delivery) => JSON.stringify(delivery)))
    }
    return found
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#receiver[Symbol.asyncDispose]()
  }
}

async function hasGrown(caller: Caller, after: number): Promise<boolean> {
  const { body } = await caller.get<{ results: object[] }>(`events/?limit=1&after=${after}`)
  return body.results.length > 0
}

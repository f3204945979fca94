/**
 * A webhook receiver next to a load. At the end it must have received every event of the log that it subscribes to:
 * signed, in order for each subject, and repeated only if a delivery was interrupted.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { events, webhooks } from '@reelkeep/contract'
import { type Caller, freePort } from '@reelkeep/testkit'
import { arrivalFaults, missingAt } from '../../faults/events/event-invariants.ts'
import { EventReceiver } from '../../faults/events/event-receiver.ts'
import { untilTold } from '../../faults/events/until-delivered.ts'
import type { Figures } from '../support/figures.ts'
import { readLog } from './verify-log.ts'

/** It listens on this machine, which the API and workers have to allow. */
export const receiverSettings = { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' }

/** Concurrent deliveries to one webhook; if their results cannot be recorded, they are repeated: decision 20. */
const UNDER_WAY_MAX = 8
/** On an overloaded machine a worker's lease may expire once. */
const UNFORESEEN_MAX = 1
const REST_SECONDS_MAX = 180
const LOOK_MILLISECONDS = 200

/** The received deliveries and the violations. */
type Telling = {
  readonly told: number
  /** Arrivals beyond the first of each event. */
  readonly again: number
  readonly missing: readonly string[]
  readonly faults: readonly string[]
  /** Deliveries that the service has still pending, or has given up. */
  readonly undelivered: readonly string[]
}

export class LoadReceiver implements AsyncDisposable {
  readonly #receiver: EventReceiver
  readonly #webhook: webhooks.NewWebhook
  /** The last event before the webhook was created. */
  readonly #since: number

  private constructor(receiver: EventReceiver, webhook: webhooks.NewWebhook, since: number) {
    this.#receiver = receiver
    this.#webhook = webhook
    this.#since = since
  }

  /** Opened before the load begins. `types` as in a webhook: an empty list means all. */
  static async open(caller: Caller, types: readonly string[] = []): Promise<LoadReceiver> {
    const receiver = await EventReceiver.open(await freePort())
    // Reading the log sequences pending events, so none of them is delivered to a webhook created afterwards.
    const since = (await readLog(caller)).at(-1)?.number ?? 0
    const wish = { url: receiver.url, types }
    const { status, body, text } = await caller.post<webhooks.NewWebhook>('webhooks/', wish)
    if (status !== 201) throw new Error(`Cannot create a webhook: ${text}`)
    receiver.trust(body.secret)
    return new LoadReceiver(receiver, body, since)
  }

  /** `interruptions`: how often the dispatcher was killed, or could not record a result. */
  async judge(
    figures: Figures,
    name: string,
    caller: Caller,
    interruptions: number,
  ): Promise<void> {
    const { told, again, missing, faults, undelivered } = await this.atRest(caller)
    const most = UNDER_WAY_MAX * (interruptions + UNFORESEEN_MAX)
    const found = `${told} events, ${again} of them again`
    figures.judge(`${name}: delivered by webhook`, found, told > 0 && again <= most)
    figures.judgeNone(`${name}: never delivered by webhook`, missing)
    figures.judgeNone(`${name}: delivered unsigned, unsubscribed, changed, or out of order`, faults)
    figures.judgeNone(`${name}: deliveries pending or failed at the end`, undelivered)
  }

  /** Waits until the log stops growing and all of it was delivered, or the time limit passes. */
  async atRest(caller: Caller, patienceSeconds = REST_SECONDS_MAX): Promise<Telling> {
    const deadline = performance.now() + patienceSeconds * 1000
    for (;;) {
      const log = (await readLog(caller)).filter(({ number }) => number > this.#since)
      await untilTold(this.#receiver, this.#webhook.types, log, deadline)
      const undelivered = await this.#undelivered(caller)
      const last = log.at(-1)?.number ?? this.#since
      const isAtRest = undelivered.length === 0 && !(await hasGrown(caller, last))
      if (isAtRest || performance.now() > deadline) return this.#telling(log, undelivered)
      await sleep(LOOK_MILLISECONDS)
    }
  }

  #telling(log: readonly events.Event[], undelivered: readonly string[]): Telling {
    const [receiver, { types }] = [this.#receiver, this.#webhook]
    const { told, arrivals } = receiver
    return {
      ...{ told, again: arrivals.length - told, undelivered },
      missing: missingAt(receiver, types, log).map((event) => JSON.stringify(event)),
      faults: arrivalFaults(receiver, types, log),
    }
  }

  async #undelivered(caller: Caller): Promise<string[]> {
    const found: string[] = []
    for (const state of ['waiting', 'failed']) {
      const path = `webhooks/${this.#webhook.id}/deliveries/?state=${state}`
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

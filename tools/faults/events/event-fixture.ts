/** One schedule on the service shared by a round: an organization, its callers, its receivers, and the final checks. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { webhooks as contract, events, folders } from '@reelkeep/contract'
import { Caller, newCaller, probedAsset, type Send, type StackEnv } from '@reelkeep/testkit'
import type { KillableService } from '../support/killable-service.ts'
import { sendWithRetries } from '../support/send-with-retries.ts'
import { readResources } from './current-resources.ts'
import { type EventContext, runActions } from './event-actions.ts'
import {
  deliveryViolations,
  missingAt,
  resourceViolations,
  sequenceViolations,
  waitUntilDelivered,
} from './event-invariants.ts'
import { readLog } from './event-log.ts'
import { EventReceiver } from './event-receiver.ts'
import { replay } from './event-replay.ts'
import type { EventSchedule, PlannedReceiver } from './event-schedule.ts'
import { KnownChanges } from './known-changes.ts'

/** Duration of the shared asset, later than the start of any chapter in a schedule. */
const FILM_SECONDS = 36_000

const EVENTS_PER_PAGE = 7

export class EventFixture implements AsyncDisposable {
  log: readonly events.Event[] = []
  readonly #schedule: EventSchedule
  readonly #receivers: readonly EventReceiver[]
  readonly #context: EventContext

  private constructor(schedule: EventSchedule, receivers: readonly EventReceiver[], context: EventContext) {
    this.#schedule = schedule
    this.#receivers = receivers
    this.#context = context
  }

  static async open(
    env: StackEnv,
    service: KillableService,
    schedule: EventSchedule,
    firstPort: number,
  ): Promise<EventFixture> {
    const { retryingCaller, oneShotCaller } = await newCallers(env, service)
    const receivers: EventReceiver[] = []
    const webhooks: EventContext['webhooks'] = []
    for (const [index, planned] of schedule.receivers.entries()) {
      const receiver = await EventReceiver.open(firstPort + index, planned.types)
      webhooks.push({ id: await receiver.subscribe(retryingCaller), receiver })
      receivers.push(receiver)
    }
    const knownChanges = new KnownChanges()
    const input = { title: 'Shared' }
    const { body: folder } = await retryingCaller.post<folders.Folder>('assets/folders/', input)
    const { asset } = await probedAsset(retryingCaller, { durationSeconds: FILM_SECONDS }, env)
    knownChanges.recordCertain('folder Shared created', 'token Test created')
    knownChanges.recordCertain(`asset ${asset.title} created`, `session of ${asset.title} created`)
    let number = 0
    const shared = { sharedFolder: folder.uuid, sharedAsset: asset.id, webhooks }
    const context = {
      retryingCaller,
      oneShotCaller,
      knownChanges,
      ...shared,
      nextNumber: () => ++number,
    }
    return new EventFixture(schedule, receivers, context)
  }

  /** Runs the schedule. Resolves when the callers have finished and the receivers work again. */
  async run(): Promise<void> {
    const { callers, receivers } = this.#schedule
    await Promise.all([
      ...callers.map((actions) => runActions(this.#context, actions)),
      ...receivers.map((planned, index) => this.#changeModes(this.#receivers[index], planned)),
    ])
    await Promise.all(this.#receivers.map((receiver) => receiver.setMode('up')))
  }

  /** Makes one more change, and repeats it until it gets a response. */
  changeOnce(): Promise<void> {
    const once = { pauseMilliseconds: 0, which: 0, isRepeated: true }
    return runActions(this.#context, [{ what: 'rename the shared folder', ...once }])
  }

  async #changeModes(receiver: EventReceiver | undefined, { modeChanges }: PlannedReceiver): Promise<void> {
    const start = performance.now()
    for (const { afterMilliseconds, mode } of modeChanges) {
      await sleep(Math.max(0, afterMilliseconds - (performance.now() - start)))
      await receiver?.setMode(mode)
    }
  }

  /** Waits until all events are delivered, and returns the violations. */
  async findViolations(deadline: number): Promise<string[]> {
    const { retryingCaller, knownChanges } = this.#context
    this.log = await readLog(retryingCaller, EVENTS_PER_PAGE)
    const { changes, resources } = replay(this.log)
    const found = [...sequenceViolations(this.log), ...knownChanges.violations(changes)]
    found.push(...resourceViolations(resources, await readResources(retryingCaller)))
    for (const receiver of this.#receivers) {
      await waitUntilDelivered(receiver, this.log, deadline)
      const missing = missingAt(receiver, this.log)
      const violations = [
        ...missing.map((event) => `never received ${JSON.stringify(event)}`),
        ...deliveryViolations(receiver, this.log),
      ]
      found.push(...violations.map((violation) => `${receiver.url} ${violation}`))
    }
    return found.map((violation) => `${retryingCaller.organizationId}: ${violation}`)
  }

  get organizationId(): string {
    return this.#context.retryingCaller.organizationId
  }

  get arrived(): number {
    return this.#receivers.reduce((sum, { arrivals }) => sum + arrivals.length, 0)
  }

  /** Number of distinct events that arrived, without repetitions. */
  get delivered(): number {
    return this.#receivers.reduce((sum, { delivered }) => sum + delivered, 0)
  }

  /** Deletes the webhooks, so that late deliveries do not reach the receivers of the next round at the same ports. */
  async [Symbol.asyncDispose](): Promise<void> {
    const { body } = await this.#context.retryingCaller.get<{ results: contract.Webhook[] }>('webhooks/')
    for (const { id } of body.results) await this.#context.retryingCaller.delete(`webhooks/${id}/`)
    await Promise.all(this.#receivers.map((receiver) => receiver[Symbol.asyncDispose]()))
  }
}

async function newCallers(env: StackEnv, service: KillableService) {
  const retryingCaller = await newCaller(
    sendWithRetries(() => service.api),
    env,
  )
  const sendOnce: Send = async (request) => {
    const api = await service.runningApi()
    return api.send(request).catch(() => ({ status: 0, headers: {}, text: '' }))
  }
  const { organizationId, token } = retryingCaller
  return { retryingCaller, oneShotCaller: new Caller(sendOnce, organizationId, token) }
}

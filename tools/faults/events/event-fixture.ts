/**
 * One schedule on the service shared by a round: an organization, its callers, its receivers, and the final checks.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { events, folders, webhooks } from '@reelkeep/contract'
import {
  Caller,
  newOrganization,
  openOwner,
  probedAsset,
  type Send,
  type StackEnv,
} from '@reelkeep/testkit'
import { sendWithRetries } from '../support/send-with-retries.ts'
import { readHoldings } from './current-resources.ts'
import { actAll, type EventScene } from './event-actions.ts'
import { arrivalFaults, holdingFaults, missingAt, numberingFaults } from './event-invariants.ts'
import { EventReceiver } from './event-receiver.ts'
import { retell } from './event-replay.ts'
import type { EventSchedule, PlannedReceiver } from './event-schedule.ts'
import type { EventService } from './event-service.ts'
import { ChangeNotes } from './known-changes.ts'
import { untilTold } from './until-delivered.ts'

/** Longer than the start of any chapter in a schedule. */
const FILM_SECONDS = 36_000

const EVENTS_PER_PAGE = 7
const PAGES_MAX = 1000

export class EventStage implements AsyncDisposable {
  log: readonly events.Event[] = []
  readonly #schedule: EventSchedule
  readonly #receivers: readonly EventReceiver[]
  readonly #scene: EventScene

  private constructor(
    schedule: EventSchedule,
    receivers: readonly EventReceiver[],
    scene: EventScene,
  ) {
    this.#schedule = schedule
    this.#receivers = receivers
    this.#scene = scene
  }

  static async open(
    env: StackEnv,
    service: EventService,
    schedule: EventSchedule,
    firstPort: number,
  ): Promise<EventStage> {
    const { patient, hasty } = await newCallers(env, service)
    const receivers: EventReceiver[] = []
    const hooks: EventScene['webhooks'] = []
    for (const [index, planned] of schedule.receivers.entries()) {
      const receiver = await EventReceiver.open(firstPort + index)
      hooks.push(await hookUp(patient, receiver, planned))
      receivers.push(receiver)
    }
    const notes = new ChangeNotes()
    const wish = { title: 'Shared' }
    const { body: folder } = await patient.post<folders.Folder>('assets/folders/', wish)
    const { asset } = await probedAsset(patient, { durationSeconds: FILM_SECONDS }, env)
    notes.made('folder Shared created', 'token Test created')
    notes.made(`asset ${asset.title} created`, `session of ${asset.title} created`)
    let number = 0
    const shared = { sharedFolder: folder.uuid, sharedAsset: asset.id, webhooks: hooks }
    const scene = { patient, hasty, notes, ...shared, nextNumber: () => ++number }
    return new EventStage(schedule, receivers, scene)
  }

  /** Resolves when the callers have finished and the receivers work again. */
  async play(): Promise<void> {
    const { callers, receivers } = this.#schedule
    await Promise.all([
      ...callers.map((acts) => actAll(this.#scene, acts)),
      ...receivers.map((planned, index) => this.#beMoody(this.#receivers[index], planned)),
    ])
    await Promise.all(this.#receivers.map((receiver) => receiver.turn('fine')))
  }

  /** Makes one more change, and repeats it until it is answered. */
  changeOnce(): Promise<void> {
    const once = { pauseMilliseconds: 0, which: 0, isRepeated: true }
    return actAll(this.#scene, [{ what: 'rename the shared folder', ...once }])
  }

  async #beMoody(receiver: EventReceiver | undefined, { turns }: PlannedReceiver): Promise<void> {
    const began = performance.now()
    for (const { afterMilliseconds, mood } of turns) {
      await sleep(Math.max(0, afterMilliseconds - (performance.now() - began)))
      await receiver?.turn(mood)
    }
  }

  /** Waits until all events are delivered, and returns the violations. */
  async judge(deadline: number): Promise<string[]> {
    const { patient, notes } = this.#scene
    this.log = await pull(patient)
    const { changes, holdings } = retell(this.log)
    const found = [...numberingFaults(this.log), ...notes.faults(changes)]
    found.push(...holdingFaults(holdings, await readHoldings(patient)))
    for (const [index, receiver] of this.#receivers.entries()) {
      const types = this.#schedule.receivers[index]?.types ?? []
      await untilTold(receiver, types, this.log, deadline)
      const missing = missingAt(receiver, types, this.log)
      found.push(
        ...missing.map((event) => `${receiver.url} never received ${JSON.stringify(event)}`),
      )
      found.push(
        ...arrivalFaults(receiver, types, this.log).map((fault) => `${receiver.url} ${fault}`),
      )
    }
    return found.map((fault) => `${patient.organizationId}: ${fault}`)
  }

  get organizationId(): string {
    return this.#scene.patient.organizationId
  }

  get arrived(): number {
    return this.#receivers.reduce((sum, { arrivals }) => sum + arrivals.length, 0)
  }

  /** The same without repetitions. */
  get told(): number {
    return this.#receivers.reduce((sum, { told }) => sum + told, 0)
  }

  /** Deletes the webhooks, so that late deliveries do not reach the receivers of the next round at the same ports. */
  async [Symbol.asyncDispose](): Promise<void> {
    const { body } = await this.#scene.patient.get<{ results: webhooks.Webhook[] }>('webhooks/')
    for (const { id } of body.results) await this.#scene.patient.delete(`webhooks/${id}/`)
    await Promise.all(this.#receivers.map((receiver) => receiver[Symbol.asyncDispose]()))
  }
}

async function newCallers(env: StackEnv, service: EventService) {
  await using owner = openOwner(env)
  const { organizationId, token } = await newOrganization(owner)
  const sendOnce: Send = async (request) => {
    const api = await service.standingApi()
    return api.send(request).catch(() => ({ status: 0, headers: {}, text: '' }))
  }
  const patient = new Caller(
    sendWithRetries(() => service.api),
    organizationId,
    token,
  )
  return { patient, hasty: new Caller(sendOnce, organizationId, token) }
}

async function hookUp(caller: Caller, receiver: EventReceiver, { types }: PlannedReceiver) {
  const wish = { url: receiver.url, types }
  const { status, body, text } = await caller.post<webhooks.NewWebhook>('webhooks/', wish)
  if (status !== 201) throw new Error(`Cannot create a webhook: ${text}`)
  receiver.trust(body.secret)
  return { id: body.id, trust: (secret: string) => receiver.trust(secret) }
}

type LogPage = {
  readonly after: number
  readonly has_more: boolean
  readonly results: readonly events.Event[]
}

/** The whole log, in many small pages. */
async function pull(caller: Caller): Promise<events.Event[]> {
  const log: events.Event[] = []
  let after = 0
  for (let page = 0; page < PAGES_MAX; page++) {
    const path = `events/?after=${after}&limit=${EVENTS_PER_PAGE}`
    const { status, body, text } = await caller.get<LogPage>(path)
    if (status !== 200) throw new Error(`Cannot read the log: ${text}`)
    log.push(...body.results)
    after = body.after
    if (!body.has_more) return log
  }
  throw new Error('The log has too many pages')
}

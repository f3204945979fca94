/**
 * Dispatches events to webhooks.
 *
 * One worker claims a due webhook, delivers everything that is due to it (hand.ts), and releases it. Due webhooks
 * are found when their organization is reported to have new events (`wake`), or by polling all organizations, every
 * second by default: after a pause, a lost notification, or the death of another worker. Claims exist only in the
 * database, so a worker may be killed at any moment: other workers claim its webhooks when its lease has expired.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Agent } from 'undici'
import type { OrganizationId, WebhookId } from '../../kernel/ids.ts'
import type { Database } from '../../platform/db/database.ts'
import { isSuspended } from '../../platform/db/suspension.ts'
import { checkSeconds, type Intervals } from '../../platform/jobs/intervals.ts'
import { repeat } from '../../platform/jobs/repeat.ts'
import { InHand } from './claimed-endpoints.ts'
import { releaseAllWebhooks, selectDueOrganizations, takeWebhooks } from './claims.store.ts'
import type { Desk } from './dispatch-context.ts'
import { Hand } from './endpoint-session.ts'
import { giveBack } from './release-claims.ts'

export { releaseAllWebhooks }

/** Claimed at a time. This many webhooks may hang, up to the request timeout, before others have to wait. */
const IN_HAND_MAX = 1000

/** Organizations per poll; the next one comes soon. */
const ORGANIZATIONS_PER_LOOK_MAX = 200

/** Interval for checking whether running claims have ended; each takes a statement or two. */
const SEEN_MILLISECONDS = 10

/** Time for aborted requests to end. */
const LEAVE_SECONDS = 1

export type CourierOptions = Omit<Desk, 'mail' | 'stopping'> & {
  readonly database: Database
  /** Closed with the dispatcher. */
  readonly agent: Agent
  readonly userAgent: string
  /** From the start of the connection to the last byte of the response. */
  readonly requestSecondsMax: number
  /** How long a stopping dispatcher waits for requests in progress. */
  readonly drainSeconds: number
  readonly intervals: Pick<Intervals, 'pollSeconds'>
}

/** Runs from its construction until disposed. */
export class WebhookDispatcher implements AsyncDisposable {
  readonly #options: CourierOptions
  readonly #desk: Desk
  readonly #stop = new AbortController()
  readonly #abandonment = new AbortController()
  readonly #inHand = new InHand()
  /** Organizations whose webhooks are being claimed, and whether to repeat that. */
  readonly #seen = new Map<OrganizationId, boolean>()
  readonly #looks: AsyncDisposable

  constructor(options: CourierOptions) {
    const { agent, userAgent, requestSecondsMax: secondsMax } = options
    const mail = { agent, userAgent, secondsMax, abandoned: this.#abandonment.signal }
    this.#options = options
    this.#desk = { ...options, mail, stopping: this.#stop.signal }
    this.#looks = repeat(
      checkSeconds(options.intervals),
      () => this.look(),
      () => {},
    )
  }

  /** The organization has new events. */
  wake(organizationId: OrganizationId): void {
    for (const hand of this.#inHand.of(organizationId)) hand.wake()
    void this.#see(organizationId)
  }

  /** Polls all organizations. Never throws: the next poll comes soon. */
  async look(): Promise<void> {
    const { database, workerId, logger } = this.#options
    const limit = Math.min(this.#room, ORGANIZATIONS_PER_LOOK_MAX)
    if (limit === 0) return
    try {
      const looking = { workerId, inHand: this.#inHand.ids(), limit }
      const due = await selectDueOrganizations(database, looking)
      await Promise.all(due.map((organizationId) => this.#see(organizationId)))
    } catch (err) {
      logger.warn({ err }, 'failed to query due webhooks')
    }
  }

  /** How many more webhooks may be claimed. */
  get #room(): number {
    return this.#stop.signal.aborted ? 0 : Math.max(0, IN_HAND_MAX - this.#inHand.size)
  }

  /** Claims the webhooks of an organization, one call at a time. Never throws: the next poll repeats it. */
  async #see(organizationId: OrganizationId): Promise<void> {
    const isUnderWay = this.#seen.has(organizationId)
    this.#seen.set(organizationId, isUnderWay)
    if (isUnderWay) return
    try {
      do {
        this.#seen.set(organizationId, false)
        await this.#take(organizationId)
      } while (this.#seen.get(organizationId))
    } catch (err) {
      const { logger } = this.#options
      // The next poll after the suspension finds it again.
      if (!isSuspended(err))
        logger.warn({ err, organization_id: organizationId }, 'failed to claim webhooks')
    } finally {
      this.#seen.delete(organizationId)
    }
  }

  async #take(organizationId: OrganizationId): Promise<void> {
    const { database, workerId } = this.#options
    const limit = this.#room
    if (limit === 0) return
    const db = database.forOrganization(organizationId)
    const looking = { workerId, inHand: this.#inHand.ids(organizationId), limit }
    for (const taken of await takeWebhooks(db, looking)) {
      this.#hold(organizationId, taken.target.webhookId, new Hand(db, this.#desk, taken))
    }
  }

  #hold(organizationId: OrganizationId, webhookId: WebhookId, hand: Hand): void {
    const { metrics } = this.#options
    this.#inHand.add(organizationId, webhookId, hand)
    metrics.setInHand(this.#inHand.size)
    void hand.ended.then(() => {
      this.#inHand.delete(organizationId, webhookId)
      metrics.setInHand(this.#inHand.size)
      if (hand.isWoken) void this.#see(organizationId)
    })
  }

  /** Starts nothing more, waits for requests in progress as long as it may, and releases the rest. */
  async [Symbol.asyncDispose](): Promise<void> {
    const { database, workerId, logger, agent, drainSeconds } = this.#options
    this.#stop.abort()
    await this.#looks[Symbol.asyncDispose]()
    while (this.#seen.size > 0) await sleep(SEEN_MILLISECONDS)
    const left = this.#inHand.entries()
    const ended = Promise.all(left.map(({ hand }) => hand.ended))
    await Promise.race([ended, sleep(drainSeconds * 1000)])
    this.#abandonment.abort()
    await Promise.race([ended, sleep(LEAVE_SECONDS * 1000)])
    await giveBack(database, workerId, left).catch((err: unknown) =>
      logger.warn({ err }, 'failed to release webhooks; their claims expire with the worker lease'),
    )
    await agent.destroy()
  }
}

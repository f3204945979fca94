/**
 * Tells webhooks what happened.
 *
 * A webhook to which something is due is taken in hand by one worker, which tells it all that is
 * due (hand.ts) and lays it down. It is found because somebody said that its organization has news
 * (`wake`), or by looking, every second, at what is due in all of them: after a rest, after a
 * notification that was lost, after another worker's death. The database alone knows who has what
 * in hand, so any worker may be killed at any moment: its webhooks are another's when its lease has
 * run out.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Agent } from 'undici'
import type { OrganizationId, WebhookId } from '../../../kernel/ids.ts'
import type { Database } from '../../../platform/db/database.ts'
import { isHeld } from '../../../platform/db/held.ts'
import { repeat } from '../../../platform/jobs/repeat.ts'
import { selectDueOrganizations, takeWebhooks } from './courier.store.ts'
import type { Desk } from './desk.ts'
import { giveBack } from './giving-back.ts'
import { Hand } from './hand.ts'
import { InHand } from './in-hand.ts'

/** In hand at a time. So many may hang, for the time that a request may take, before others wait for them. */
const IN_HAND_MAX = 1000

const LOOK_SECONDS = 1

/** Organizations that one look sees to; the next one comes soon. */
const ORGANIZATIONS_PER_LOOK_MAX = 200

/** Between looks whether all that was being seen to has been; each is a statement or two. */
const SEEN_MILLISECONDS = 10

/** What requests get, once abandoned, to end. */
const LEAVE_SECONDS = 1

export type CourierOptions = Omit<Desk, 'mail' | 'stopping'> & {
  readonly database: Database
  /** Closed with the courier. */
  readonly agent: Agent
  readonly userAgent: string
  /** From the beginning of a connection to the last byte of the answer. */
  readonly requestSecondsMax: number
  /** How long a stopping courier waits for requests under way. */
  readonly drainSeconds: number
}

/** Works from when it is made until it is disposed of. */
export class Courier implements AsyncDisposable {
  readonly #options: CourierOptions
  readonly #desk: Desk
  readonly #stop = new AbortController()
  readonly #abandonment = new AbortController()
  readonly #inHand = new InHand()
  /** Organizations that are being seen to, and whether that is to be done once more. */
  readonly #seen = new Map<OrganizationId, boolean>()
  readonly #looks: AsyncDisposable

  constructor(options: CourierOptions) {
    const { agent, userAgent, requestSecondsMax: secondsMax } = options
    const mail = { agent, userAgent, secondsMax, abandoned: this.#abandonment.signal }
    this.#options = options
    this.#desk = { ...options, mail, stopping: this.#stop.signal }
    this.#looks = repeat(
      LOOK_SECONDS,
      () => this.look(),
      () => {},
    )
  }

  /** The organization has news. */
  wake(organizationId: OrganizationId): void {
    for (const hand of this.#inHand.of(organizationId)) hand.wake()
    void this.#see(organizationId)
  }

  /** There may be news of anybody. Never throws: the next look comes soon. */
  async look(): Promise<void> {
    const { database, workerId, logger } = this.#options
    const limit = Math.min(this.#room, ORGANIZATIONS_PER_LOOK_MAX)
    if (limit === 0) return
    try {
      const looking = { workerId, inHand: this.#inHand.ids(), limit }
      const due = await selectDueOrganizations(database, looking)
      await Promise.all(due.map((organizationId) => this.#see(organizationId)))
    } catch (err) {
      logger.warn({ err }, 'could not look which webhooks are due')
    }
  }

  /** How many more may be taken in hand. */
  get #room(): number {
    return this.#stop.signal.aborted ? 0 : Math.max(0, IN_HAND_MAX - this.#inHand.size)
  }

  /** One at a time of an organization. Never throws: what was not seen to is found by the next look. */
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
      // It is found again once it is released.
      if (!isHeld(err))
        logger.warn({ err, organization_id: organizationId }, 'could not take webhooks in hand')
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

  /** Begins nothing more, waits for what is under way as long as it may, and leaves the rest to others. */
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
      logger.warn({ err }, 'could not give webhooks back; others wait until the lease has run out'),
    )
    await agent.destroy()
  }
}

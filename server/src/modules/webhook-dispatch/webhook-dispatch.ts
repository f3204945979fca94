/**
 * Dispatches events to webhooks.
 *
 * A worker claims a due webhook, delivers its due events in an endpoint session, and releases it. Due webhooks are
 * found when their organization is reported to have new events (`wake`), or by polling all organizations, every
 * second by default: after a pause, a lost notification, or the death of another worker. Claims exist only in the
 * database, so a worker may be killed at any moment: other workers claim its webhooks when its lease has expired.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { OrganizationId, WebhookId } from '../../kernel/ids.ts'
import type { Database } from '../../platform/db/database.ts'
import { isSuspended } from '../../platform/db/suspension.ts'
import { checkSeconds, type Intervals, recoverySeconds } from '../../platform/jobs/intervals.ts'
import { repeat } from '../../platform/jobs/repeat.ts'
import type { Logger } from '../../platform/observability/logger.ts'
import * as claims from './claims.store.ts'
import { type DispatchContext, EndpointSession } from './endpoint-session.ts'
import { DeliveryAgents } from './requests/delivery-agents.ts'

export { DeliveryAgents }
export const { releaseAllWebhooks } = claims

/** Maximum number of sessions. This many webhooks may hang, up to the request timeout, before others have to wait. */
const SESSIONS_MAX = 1000

/** Maximum number of webhooks per claim, which is that of an organization. */
const WEBHOOKS_PER_CLAIM_MAX = 100

/** Maximum number of organizations per poll; the next poll comes soon. */
const ORGANIZATIONS_PER_POLL_MAX = 200

/** Maximum number of leftover claims released per check; the next check comes soon. */
const LEFTOVER_CLAIMS_MAX = 1000

/** Time for aborted requests to end. */
const ABORT_SECONDS = 1

type DispatcherOptions = Omit<DispatchContext, 'httpClient'> & {
  readonly database: Database
  /** Send the requests; closed together with the dispatcher. */
  readonly agents: DeliveryAgents
  readonly userAgent: string
  /** Time limit from the start of the connection to the last byte of the response. */
  readonly requestSecondsMax: number
  /** How long a stopping dispatcher waits for requests in flight. */
  readonly drainSeconds: number
  readonly intervals: Pick<Intervals, 'pollSeconds'>
  /** Default: 1,000. */
  readonly sessionsMax?: number
}

type Sessions = Map<WebhookId, EndpointSession>

/** Runs from its construction until disposed. */
export class WebhookDispatcher implements AsyncDisposable {
  readonly #options: DispatcherOptions
  readonly #context: DispatchContext
  readonly #abort = new AbortController()
  readonly #sessions = new Map<OrganizationId, Sessions>()
  #sessionCount = 0
  /** Sessions that claims in progress may start. They count, because several claims run at the same time. */
  #reservedCount = 0
  /** Claims in progress, by organization. */
  readonly #claiming = new Map<OrganizationId, Promise<void>>()
  /** Organizations whose webhooks are claimed next: claims in progress have reserved all sessions, or are theirs. */
  readonly #claimNext = new Set<OrganizationId>()
  readonly #polling: AsyncDisposable
  #isStopping = false

  constructor(options: DispatcherOptions) {
    const { agents, userAgent, requestSecondsMax } = options
    const httpClient = { agents, userAgent, requestSecondsMax, aborted: this.#abort.signal }
    this.#options = options
    this.#context = { ...options, httpClient }
    this.#polling = repeat(
      checkSeconds(options.intervals),
      () => this.poll(),
      () => {},
    )
  }

  /** Called when the organization has new events. */
  wake(organizationId: OrganizationId): void {
    for (const session of this.#sessions.get(organizationId)?.values() ?? []) session.wake()
    this.#claim([organizationId])
  }

  /** Claims due webhooks of all organizations. Never throws: the next poll comes soon. */
  async poll(): Promise<void> {
    const { database, workerId, logger } = this.#options
    const { sessionsMax = SESSIONS_MAX } = this.#options
    const limit = this.#isStopping ? 0 : Math.min(sessionsMax - this.#sessionCount, ORGANIZATIONS_PER_POLL_MAX)
    if (limit <= 0) return
    const claimedIds = [...this.#sessions.values()].flatMap((sessions) => [...sessions.keys()])
    try {
      const due = await claims.selectDueOrganizations(database, { workerId, claimedIds, limit })
      this.#claim(due.filter((organizationId) => !this.#claiming.has(organizationId)))
    } catch (err) {
      logger.warn({ err }, 'failed to query due webhooks')
    }
  }

  get #freeSessions(): number {
    const { sessionsMax = SESSIONS_MAX } = this.#options
    return this.#isStopping ? 0 : Math.max(0, sessionsMax - this.#sessionCount - this.#reservedCount)
  }

  /** Claims the due webhooks of the organizations, now or after claims in progress; one claim per organization. */
  #claim(organizationIds: readonly OrganizationId[]): void {
    for (const organizationId of organizationIds) this.#claimNext.add(organizationId)
    for (const organizationId of this.#claimNext) {
      if (this.#freeSessions === 0) break
      if (this.#claiming.has(organizationId)) continue
      this.#claimNext.delete(organizationId)
      const claiming = this.#claimAndLog(organizationId).finally(() => {
        this.#claiming.delete(organizationId)
        this.#claim([])
      })
      this.#claiming.set(organizationId, claiming)
    }
    // All sessions are in use: polls find these webhooks when there are free sessions.
    if (this.#claiming.size === 0) this.#claimNext.clear()
  }

  async #claimAndLog(organizationId: OrganizationId): Promise<void> {
    try {
      await this.#claimOnce(organizationId)
    } catch (err) {
      const { logger } = this.#options
      // A poll after the suspension, or the next poll, finds the webhooks again.
      if (!isSuspended(err)) logger.warn({ err, organization_id: organizationId }, 'failed to claim webhooks')
    }
  }

  async #claimOnce(organizationId: OrganizationId): Promise<void> {
    const { database, workerId } = this.#options
    const limit = Math.min(this.#freeSessions, WEBHOOKS_PER_CLAIM_MAX)
    this.#reservedCount += limit
    const db = database.forOrganization(organizationId)
    const claimedIds = [...(this.#sessions.get(organizationId)?.keys() ?? [])]
    const all = await claims.claimWebhooks(db, { workerId, claimedIds, limit }).finally(() => {
      this.#reservedCount -= limit
    })
    for (const claimed of all) {
      const session = new EndpointSession(db, this.#context, claimed)
      this.#add(organizationId, claimed.endpoint.webhookId, session)
      if (this.#isStopping) session.stop()
      else session.start()
    }
  }

  #add(organizationId: OrganizationId, webhookId: WebhookId, session: EndpointSession): void {
    const sessions: Sessions = this.#sessions.get(organizationId) ?? new Map()
    this.#sessions.set(organizationId, sessions.set(webhookId, session))
    this.#count(1)
    void session.ended.then(() => {
      this.#count(-1)
      // A stopping dispatcher releases the claims of all sessions at its end.
      if (this.#isStopping) return
      sessions.delete(webhookId)
      if (sessions.size === 0) this.#sessions.delete(organizationId)
      if (session.isWoken) this.#claim([organizationId])
    })
  }

  #count(change: number): void {
    this.#sessionCount += change
    this.#options.metrics.setClaimed(this.#sessionCount)
  }

  /** Waits up to `drainSeconds` for requests in flight, aborts the rest, and releases all claims. */
  async [Symbol.asyncDispose](): Promise<void> {
    const { logger, agents, drainSeconds } = this.#options
    this.#isStopping = true
    for (const { session } of this.#claimed()) session.stop()
    await this.#polling[Symbol.asyncDispose]()
    await Promise.all(this.#claiming.values())
    const claimed = this.#claimed()
    const ended = Promise.all(claimed.map(({ session }) => session.ended))
    await Promise.race([ended, sleep(drainSeconds * 1000)])
    this.#abort.abort()
    await Promise.race([ended, sleep(ABORT_SECONDS * 1000)])
    await release(this.#options, claimed).catch((err: unknown) =>
      logger.warn({ err }, 'failed to release webhooks; their claims expire with the worker lease'),
    )
    await agents[Symbol.asyncDispose]()
  }

  #claimed() {
    return [...this.#sessions].flatMap(([organizationId, sessions]) =>
      [...sessions].map(([webhookId, session]) => ({ organizationId, webhookId, session })),
    )
  }
}

type Claimant = { readonly database: Database; readonly workerId: string }

async function release({ database, workerId }: Claimant, claimed: readonly claims.WebhookRef[]): Promise<void> {
  const byOrganization = Map.groupBy(claimed, ({ organizationId }) => organizationId)
  const released = [...byOrganization].map(([organizationId, webhooks]) => {
    const webhookIds = webhooks.map(({ webhookId }) => webhookId)
    return claims.releaseWebhooks(database.forOrganization(organizationId), {
      workerId,
      webhookIds,
    })
  })
  await Promise.all(released)
}

type LeftoverOptions = Claimant & {
  readonly logger: Logger
  readonly intervals: Pick<Intervals, 'heartbeatSeconds'>
}

/**
 * Releases claims for a worker without a dispatcher. A killed worker of the same name may have had one: its lease
 * continues with this worker, so no other worker would claim its webhooks.
 */
export function releaseLeftoverClaims(options: LeftoverOptions): AsyncDisposable {
  const { database, workerId, logger, intervals } = options
  const releaseDue = async () => release(options, await claims.selectClaimed(database, workerId, LEFTOVER_CLAIMS_MAX))
  // Runs repeatedly, because a paused webhook is found only when it is due.
  return repeat(recoverySeconds(intervals), releaseDue, (err) =>
    logger.warn({ err }, 'failed to release webhooks of a previous worker of the same name'),
  )
}

/** A session with a claimed webhook: performs the actions of its state machine (session-state.ts). */
import { setTimeout as sleep } from 'node:timers/promises'
import type { OrganizationDb } from '../../platform/db/database.ts'
import { isTemporary } from '../../platform/db/errors/overload.ts'
import { isSuspended } from '../../platform/db/suspension.ts'
import type { Logger } from '../../platform/observability/logger.ts'
import { about, recordEvents } from '../events/events.ts'
import { type AttemptContext, attemptDelivery } from './attempt-delivery.ts'
import * as claims from './claims.store.ts'
import { disableWebhook, internalErrorQueries, resultQueries } from './results.store.ts'
import { type Action, eventsOf, initialState, next, type SessionEvent, type SessionState } from './session-state.ts'

/** Pause after an internal error, such as a missing key, which an operator has to fix first. */
const INTERNAL_ERROR_PAUSE_SECONDS = 60

/**
 * Number of retries while Postgres is unavailable, and the pause between them. Postgres is rarely unavailable for
 * longer.
 */
const DATABASE_TRIES_MAX = 300
const DATABASE_RETRY_SECONDS = 1

/** Shared by all sessions of a worker. */
export type DispatchContext = AttemptContext & {
  readonly workerId: string
  readonly logger: Logger
}

type ActionOf<Type extends Action['type']> = Extract<Action, { readonly type: Type }>

export class EndpointSession {
  readonly #db: OrganizationDb
  readonly #context: DispatchContext
  readonly #claim: claims.Claim
  readonly #ended = Promise.withResolvers<void>()
  #state: SessionState

  constructor(db: OrganizationDb, context: DispatchContext, claimed: claims.ClaimedWebhook) {
    this.#db = db
    this.#context = context
    this.#claim = { workerId: context.workerId, webhookId: claimed.endpoint.webhookId }
    this.#state = initialState(claimed, performance.now())
  }

  /** Resolves when no action is in progress and none will be started. */
  get ended(): Promise<void> {
    return this.#ended.promise
  }

  /** Whether the session was woken after the last read. */
  get isWoken(): boolean {
    return this.#state.isWoken
  }

  start(): void {
    this.#apply({ type: 'started' })
  }

  /** Called when there may be new events. */
  wake(): void {
    this.#apply({ type: 'woken' })
  }

  /** Finishes the deliveries in flight and starts no more. */
  stop(): void {
    this.#apply({ type: 'stopped' })
  }

  #apply(event: SessionEvent): void {
    const { state, actions } = next(this.#state, event)
    this.#state = state
    for (const action of actions) void this.#run(action)
    if (state.phase.is === 'ended') this.#ended.resolve()
  }

  /** Performs an action. Never throws. */
  async #run(action: Action): Promise<void> {
    this.#apply(await this.#perform(action).catch((err: unknown) => this.#failure(action, err)))
  }

  #perform(action: Action): Promise<SessionEvent> {
    switch (action.type) {
      case 'deliver':
        return this.#deliver(action)
      case 'exchange':
        return this.#exchange(action)
      case 'disable':
        return this.#disable(action)
      case 'pause':
        return this.#pause(action)
    }
  }

  async #deliver(action: ActionOf<'deliver'>): Promise<SessionEvent> {
    const { organizationId } = this.#db
    const { endpoint, readAt } = this.#state
    const delivery = { organizationId, endpoint, readAt, due: action.due }
    return { type: 'attempted', action, result: await attemptDelivery(delivery, this.#context) }
  }

  async #exchange(action: ActionOf<'exchange'>): Promise<SessionEvent> {
    const { results, delaysBlocked, releases, reads } = action
    const queries = [
      ...resultQueries(this.#claim, results),
      ...(delaysBlocked ? [claims.delayBlockedQuery(this.#claim)] : []),
      ...(releases ? [claims.releaseQuery(this.#claim)] : []),
      ...(reads ? [claims.readQuery(this.#claim)] : []),
    ]
    let readAt = 0
    const rows = await this.#retryUntilDatabaseBack(() => {
      readAt = performance.now()
      return this.#db.run(...queries)
    })
    const isWritten = rows?.slice(0, results.length).every(([row]) => row !== undefined) ?? false
    const claimed = reads ? claims.toClaimedWebhook((rows?.at(-1) ?? []) as claims.DueRow[]) : undefined
    return { type: 'exchanged', action, isWritten, claimed, readAt }
  }

  async #disable(action: ActionOf<'disable'>): Promise<SessionEvent> {
    const { results, because } = action
    const { webhookId: id } = this.#claim
    const isDisabled = await this.#retryUntilDatabaseBack(() =>
      this.#db.transaction(async (tx) => {
        await tx.send(...resultQueries(this.#claim, results))
        if (!(await disableWebhook(tx, this.#claim, because))) return false
        await recordEvents(tx, about(id, { type: 'webhook.disabled', data: { id } }))
        return true
      }),
    )
    if (isDisabled) {
      this.#context.metrics.countDisabled(because)
      this.#context.logger.warn({ ...this.#logFields(), because }, 'webhook disabled')
    }
    return { type: 'disabled', action }
  }

  async #pause(action: ActionOf<'pause'>): Promise<SessionEvent> {
    const queries = internalErrorQueries(this.#claim, action.events, INTERNAL_ERROR_PAUSE_SECONDS)
    await this.#retryUntilDatabaseBack(() => this.#db.run(...queries))
    return { type: 'paused', action }
  }

  #failure(action: Action, err: unknown): SessionEvent {
    const { logger } = this.#context
    const [first] = eventsOf(action)
    const logFields = { ...this.#logFields(), asset_id: first?.assetId ?? undefined }
    if (action.type === 'pause') {
      logger.error({ err, ...logFields }, 'failed to pause a webhook')
    } else if (isSuspended(err)) {
      // The result cannot be written. The event is due again when the suspension ends, or in the cell that the
      // organization is migrated to.
      logger.info(logFields, 'webhook released because its organization is suspended')
      return { type: 'failed', action, cause: 'suspended' }
    } else {
      const message = 'webhook paused after an internal error'
      logger.error({ err, ...logFields, number: first?.number }, message)
    }
    return { type: 'failed', action, cause: 'internalError' }
  }

  /**
   * Retries while the database is unavailable, because a lost result means a repeated request. Undefined if it was
   * unavailable for too long or the worker stops. Throws other errors.
   */
  async #retryUntilDatabaseBack<Row>(work: () => Promise<Row>): Promise<Row | undefined> {
    const { logger, httpClient } = this.#context
    for (let tries = 1; tries <= DATABASE_TRIES_MAX; tries++) {
      try {
        return await work()
      } catch (err) {
        if (httpClient.aborted.aborted) return undefined
        if (!isTemporary(err)) throw err
        logger.warn({ err, ...this.#logFields() }, 'failed to write the result of a webhook delivery')
        await sleep(DATABASE_RETRY_SECONDS * 1000)
      }
    }
    return undefined
  }

  #logFields() {
    return { organization_id: this.#db.organizationId, webhook_id: this.#claim.webhookId }
  }
}

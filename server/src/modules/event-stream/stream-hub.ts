/**
 * All event streams of a process. Wakes them on notifications from Postgres, and polls in case one was lost.
 *
 * Starts with the first stream. At shutdown all streams end at once, and new ones end immediately:
 * their clients reconnect to another instance.
 */
import type { events as contract, StreamClient } from '@reelkeep/contract'
import { retryLater } from '../../kernel/errors.ts'
import type { AssetId, OrganizationId } from '../../kernel/ids.ts'
import type { Database, OrganizationDb } from '../../platform/db/database.ts'
import { openListener } from '../../platform/db/listener.ts'
import { ABSENCE_CHANNEL, isAbsent } from '../../platform/db/suspension.ts'
import type { Principal } from '../../platform/http/access/principal.ts'
import { repeatAfterPause } from '../../platform/jobs/repeat.ts'
import type { Logger } from '../../platform/observability/logger.ts'
import {
  EVENTS_CHANNEL,
  type EventFilter,
  lastNumber,
  type OnSequenced,
  PROGRESS_CHANNEL,
  sequenceEvents,
} from '../events/events.ts'
import { EventStream } from './event-stream.ts'
import { LogReader } from './log-reader.ts'
import { ProgressThrottle } from './progress-throttle.ts'
import { progressText } from './stream-text.ts'

/** Interval of polling for events whose notification was lost. */
const POLL_SECONDS = 5

/** Retry-After of a rejected stream, in seconds. */
const RETRY_SECONDS = 10

/** Token checks that may fail in a row before the streams of an organization are ended. */
const FAILED_CHECKS_MAX = 2

export type StreamLimits = {
  readonly streamsMax: number
  readonly streamsPerOrganizationMax: number
  readonly lifeSeconds: number
  readonly heartbeatSeconds: number
}

export type StreamHubOptions = {
  readonly database: Database
  /** URL of `database`, for the connection that listens for notifications. */
  readonly url: string
  readonly limits: StreamLimits
  /** Interval at which the database is polled for events without a notification. */
  readonly pollSeconds?: number
  readonly logger: Logger
  readonly onSequenced: OnSequenced
  /** Channel that is notified with the id of an organization whose tokens were revoked or rotated. */
  readonly tokensEndedChannel: string
  readonly isLive: (principal: Principal) => Promise<boolean>
  readonly findProgress: (db: OrganizationDb, assetId: AssetId) => Promise<contract.Progress | undefined>
}

export type StreamRequest = {
  readonly principal: Principal
  readonly filter: EventFilter
  readonly after: number
}

/** The streams of one organization. */
type Audience = {
  readonly db: OrganizationDb
  readonly log: LogReader
  readonly listeners: Map<EventStream, Principal>
  readonly progress: ProgressThrottle
  /** The last event number in the log at the last poll. */
  lastNumber: number
  /** Failed token checks since the last one that succeeded. */
  failedChecks: number
}

export class StreamHub implements AsyncDisposable {
  readonly #options: StreamHubOptions
  readonly #audiences = new Map<OrganizationId, Audience>()
  #openCount = 0
  #isOver = false
  #background: readonly AsyncDisposable[] | undefined

  constructor(options: StreamHubOptions) {
    this.#options = options
  }

  get openCount(): number {
    return this.#openCount
  }

  /** A client that reads nothing for two heartbeats is disconnected. */
  get stallSecondsMax(): number {
    return 2 * this.#options.limits.heartbeatSeconds
  }

  /**
   * Opens a stream. It ends after its maximum lifetime, when its token ends, when the client
   * disconnects, or at shutdown. Throws beyond the limits.
   */
  open({ principal, filter, after }: StreamRequest, { disconnected, disconnect }: StreamClient): AsyncIterable<string> {
    this.#assertRoom(principal.organizationId)
    const audience = this.#audienceOf(principal.organizationId)
    this.#background ??= this.#start()
    const { log } = audience
    const stream = new EventStream({
      log,
      filter,
      limits: principal.limits,
      after,
      onFailure: this.#logFailure,
      disconnect,
    })
    audience.listeners.set(stream, principal)
    this.#openCount++
    const timer = setTimeout(() => stream.end(), this.#lifeMilliseconds(principal))
    const leave = () => {
      if (!audience.listeners.delete(stream)) return
      this.#openCount--
      clearTimeout(timer)
      stream.end()
      if (audience.listeners.size === 0) this.#audiences.delete(principal.organizationId)
    }
    if (disconnected.aborted) leave()
    disconnected.addEventListener('abort', leave, { once: true })
    if (this.#isOver) stream.end()
    // The token may have been revoked on another instance since it was authenticated.
    void this.#endRevoked(audience)
    return withCleanup(stream, leave)
  }

  /** Time until the maximum lifetime of a stream or the expiry of its token. */
  #lifeMilliseconds({ expiresAt }: Principal): number {
    const life = this.#options.limits.lifeSeconds * 1000
    return expiresAt === null ? life : Math.min(life, Math.max(0, Date.parse(expiresAt) - Date.now()))
  }

  /** Ends all streams. New streams then end immediately. */
  endAll(): void {
    this.#isOver = true
    for (const stream of this.#streams()) stream.end()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.endAll()
    for (const part of this.#background ?? []) await part[Symbol.asyncDispose]()
  }

  #audienceOf(organizationId: OrganizationId): Audience {
    const existing = this.#audiences.get(organizationId)
    if (existing) return existing
    const db = this.#options.database.forOrganization(organizationId)
    const listeners = new Map<EventStream, Principal>()
    const send = (assetId: AssetId) => this.#sendProgress(db, listeners, assetId)
    const progress = new ProgressThrottle(send, this.#logFailure)
    const audience = { db, log: new LogReader(db), listeners, progress, lastNumber: 0, failedChecks: 0 }
    this.#audiences.set(organizationId, audience)
    return audience
  }

  #assertRoom(organizationId: OrganizationId): void {
    const own = this.#audiences.get(organizationId)?.listeners.size ?? 0
    const { streamsMax, streamsPerOrganizationMax } = this.#options.limits
    if (own >= streamsPerOrganizationMax) {
      throw retryLater(
        'too_many_streams',
        `Your organization has reached its limit of ${streamsPerOrganizationMax} open event streams. ` +
          'Close one, or share a stream.',
        RETRY_SECONDS,
      )
    }
    if (this.#openCount >= streamsMax) {
      throw retryLater(
        'unavailable',
        `This instance has too many event streams. Retry in ${RETRY_SECONDS} seconds.`,
        RETRY_SECONDS,
      )
    }
  }

  #start(): readonly AsyncDisposable[] {
    const { url, logger, limits, pollSeconds = POLL_SECONDS } = this.#options
    const listener = openListener({
      url,
      logger,
      channels: [EVENTS_CHANNEL, PROGRESS_CHANNEL, ABSENCE_CHANNEL, this.#options.tokensEndedChannel],
      onMessage: (channel, payload) => this.#onNotification(channel, payload),
      onGap: () => {
        this.#wakeAll()
        this.#endAbsent().catch(this.#logFailure)
        void this.#endAllRevoked()
      },
    })
    const polls = repeatAfterPause(pollSeconds, () => this.#poll(), this.#logFailure)
    const { heartbeatSeconds } = limits
    const heartbeats = repeatAfterPause(heartbeatSeconds, () => this.#beat(), this.#logFailure)
    return [listener, polls, heartbeats]
  }

  #onNotification(channel: string, payload: string): void {
    const [organizationId = '', assetId = ''] = payload.split(' ')
    const audience = this.#audiences.get(organizationId as OrganizationId)
    if (!audience) return
    if (channel === EVENTS_CHANNEL) wake(audience)
    else if (channel === this.#options.tokensEndedChannel) void this.#endRevoked(audience)
    else if (channel === ABSENCE_CHANNEL) this.#endIfAbsent(audience).catch(this.#logFailure)
    else if (anyWantsProgress(audience, assetId as AssetId)) audience.progress.notify(assetId as AssetId)
  }

  #wakeAll(): void {
    for (const audience of this.#audiences.values()) wake(audience)
  }

  /** Finds events without a notification: their process died before sequencing, or the notification was lost. */
  async #poll(): Promise<void> {
    // An error of one organization must not affect the others.
    for (const audience of [...this.#audiences.values()]) await this.#pollAudience(audience).catch(this.#logFailure)
  }

  async #endAbsent(): Promise<void> {
    for (const audience of [...this.#audiences.values()]) await this.#endIfAbsent(audience)
  }

  /**
   * Ends the streams of an organization that was migrated away or deleted. The log of the former continues in another
   * cell, to which reconnecting clients are routed.
   */
  async #endIfAbsent({ db, listeners }: Audience): Promise<void> {
    if (!(await isAbsent(db))) return
    for (const stream of [...listeners.keys()]) stream.end()
  }

  async #pollAudience(audience: Audience): Promise<void> {
    await this.#endIfAbsent(audience)
    await sequenceEvents(audience.db, this.#options.onSequenced)
    const last = await lastNumber(audience.db)
    if (last > audience.lastNumber) wake(audience)
    audience.lastNumber = last
  }

  /** Sends heartbeats, which detect dead connections, and ends the streams of tokens that are no longer valid. */
  async #beat(): Promise<void> {
    for (const stream of this.#streams()) stream.beat()
    await this.#endAllRevoked()
  }

  async #endAllRevoked(): Promise<void> {
    for (const audience of [...this.#audiences.values()]) await this.#endRevoked(audience)
  }

  /**
   * Ends the streams of tokens that are no longer valid, and all streams of the organization if that cannot be checked
   * twice in a row: their clients reconnect and are authenticated again.
   */
  async #endRevoked(audience: Audience): Promise<void> {
    try {
      const byPrincipal = Map.groupBy(audience.listeners, ([, { id, session }]) => session?.id ?? id)
      for (const streams of byPrincipal.values()) {
        const [first] = streams
        if (!first || (await this.#options.isLive(first[1]))) continue
        for (const [stream] of streams) stream.end()
      }
      audience.failedChecks = 0
    } catch (error) {
      this.#logFailure(error)
      if (++audience.failedChecks < FAILED_CHECKS_MAX) return
      for (const stream of [...audience.listeners.keys()]) stream.end()
    }
  }

  async #sendProgress(db: OrganizationDb, listeners: Audience['listeners'], assetId: AssetId): Promise<void> {
    const interested = [...listeners].filter(([stream]) => stream.wantsProgress(assetId))
    const byLimits = Map.groupBy(interested, ([, { limits }]) => JSON.stringify(limits))
    for (const streams of byLimits.values()) {
      const limits = streams[0]?.[1].limits
      const progress = await db.withLimits(limits, (inside) => this.#options.findProgress(inside, assetId))
      if (!progress) continue
      const text = progressText(progress)
      for (const [stream] of streams) stream.sendProgress(assetId, text)
    }
  }

  *#streams(): Generator<EventStream> {
    for (const { listeners } of this.#audiences.values()) yield* listeners.keys()
  }

  readonly #logFailure = (err: unknown) => this.#options.logger.warn({ err }, 'failed to serve event streams; retrying')
}

const wake = ({ listeners }: Audience) => {
  for (const stream of listeners.keys()) stream.wake()
}

const anyWantsProgress = ({ listeners }: Audience, assetId: AssetId) =>
  [...listeners.keys()].some((stream) => stream.wantsProgress(assetId))

async function* withCleanup(stream: EventStream, leave: () => void): AsyncGenerator<string> {
  try {
    yield* stream.chunks()
  } finally {
    leave()
  }
}

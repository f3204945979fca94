/**
 * All streams of a process, and what wakes them: what Postgres tells, a look now and then in case
 * that was lost, and the clock.
 *
 * Nothing of it runs before the first stream is opened. When the process is told to stop, all
 * streams end at once, and those that come after end as soon as they have begun: their callers
 * connect again, by then to another instance.
 */
import type { events as contract, Line } from '@reelkeep/contract'
import { notNow } from '../../../kernel/errors.ts'
import type { AssetId, OrganizationId } from '../../../kernel/ids.ts'
import type { Database, OrganizationDb } from '../../../platform/db/database.ts'
import { GONE_CHANNEL, isGone } from '../../../platform/db/held.ts'
import { openListener } from '../../../platform/db/listener.ts'
import type { Principal } from '../../../platform/http/authentication.ts'
import { repeat } from '../../../platform/jobs/repeat.ts'
import type { Logger } from '../../../platform/observability/logger.ts'
import {
  type EventFilter,
  lastNumber,
  NEWS_CHANNEL,
  type OnNumbered,
  PROGRESS_CHANNEL,
  settleEvents,
} from '../events.ts'
import { EventStream } from './event-stream.ts'
import { LogReader } from './log-reader.ts'
import { ProgressDesk } from './progress-desk.ts'
import { progressText } from './stream-text.rules.ts'

/** How soon an event is found of which nobody told. */
const LOOK_SECONDS = 5

/** After a refusal. */
const RETRY_SECONDS = 10

export type StreamLimits = {
  readonly streamsMax: number
  readonly streamsPerOrganizationMax: number
  readonly lifeSeconds: number
  readonly heartbeatSeconds: number
}

export type StreamHubOptions = {
  readonly database: Database
  /** Of the same database, for the connection that listens. */
  readonly url: string
  readonly limits: StreamLimits
  readonly logger: Logger
  readonly onNumbered: OnNumbered
  readonly isTokenLive: (principal: Principal) => Promise<boolean>
  readonly findProgress: (
    db: OrganizationDb,
    assetId: AssetId,
  ) => Promise<contract.Progress | undefined>
}

export type StreamWish = {
  readonly principal: Principal
  readonly filter: EventFilter
  readonly after: number
}

/** The streams of one organization. */
type Audience = {
  readonly db: OrganizationDb
  readonly log: LogReader
  readonly listeners: Map<EventStream, Principal>
  readonly desk: ProgressDesk
  /** The last number of the log, when it was last looked at. */
  lastNumber: number
}

export class StreamHub implements AsyncDisposable {
  readonly #options: StreamHubOptions
  readonly #audiences = new Map<OrganizationId, Audience>()
  #openCount = 0
  #isOver = false
  #machinery: readonly AsyncDisposable[] | undefined

  constructor(options: StreamHubOptions) {
    this.#options = options
  }

  get openCount(): number {
    return this.#openCount
  }

  /** Who takes nothing while two signs of life are due does not listen. */
  get stallSecondsMax(): number {
    return 2 * this.#options.limits.heartbeatSeconds
  }

  /** Begins a stream; it ends with its time, its token, its caller or the process. Refuses one too many. */
  open({ principal, filter, after }: StreamWish, { gone, hangUp }: Line): AsyncIterable<string> {
    this.#assertRoom(principal.organizationId)
    const audience = this.#audienceOf(principal.organizationId)
    this.#machinery ??= this.#start()
    const { log } = audience
    const stream = new EventStream({ log, filter, after, onFailure: this.#failed, hangUp })
    audience.listeners.set(stream, principal)
    this.#openCount++
    const timer = setTimeout(() => stream.end(), this.#options.limits.lifeSeconds * 1000)
    const leave = () => {
      if (!audience.listeners.delete(stream)) return
      this.#openCount--
      clearTimeout(timer)
      stream.end()
      if (audience.listeners.size === 0) this.#audiences.delete(principal.organizationId)
    }
    if (gone.aborted) leave()
    gone.addEventListener('abort', leave, { once: true })
    if (this.#isOver) stream.end()
    return followed(stream, leave)
  }

  /** Ends all of them, and those to come. */
  endAll(): void {
    this.#isOver = true
    for (const stream of this.#streams()) stream.end()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.endAll()
    for (const part of this.#machinery ?? []) await part[Symbol.asyncDispose]()
  }

  #audienceOf(organizationId: OrganizationId): Audience {
    const known = this.#audiences.get(organizationId)
    if (known) return known
    const db = this.#options.database.forOrganization(organizationId)
    const listeners = new Map<EventStream, Principal>()
    const tell = (assetId: AssetId) => this.#tellProgress(db, listeners, assetId)
    const desk = new ProgressDesk(tell, this.#failed)
    const audience = { db, log: new LogReader(db), listeners, desk, lastNumber: 0 }
    this.#audiences.set(organizationId, audience)
    return audience
  }

  #assertRoom(organizationId: OrganizationId): void {
    const own = this.#audiences.get(organizationId)?.listeners.size ?? 0
    const { streamsMax, streamsPerOrganizationMax } = this.#options.limits
    if (own >= streamsPerOrganizationMax) {
      throw notNow(
        'too_many_streams',
        `Your organization has ${own} event streams open here, which is as many as it may. End one, or share one.`,
        RETRY_SECONDS,
      )
    }
    if (this.#openCount >= streamsMax) {
      throw notNow(
        'unavailable',
        'This instance serves as many event streams as it can. Please repeat the request.',
        RETRY_SECONDS,
      )
    }
  }

  #start(): readonly AsyncDisposable[] {
    const { url, logger, limits } = this.#options
    const listener = openListener({
      url,
      logger,
      channels: [NEWS_CHANNEL, PROGRESS_CHANNEL, GONE_CHANNEL],
      onMessage: (channel, payload) => this.#hear(channel, payload),
      onGap: () => {
        this.#wakeAll()
        this.#endThoseGone().catch(this.#failed)
      },
    })
    const looks = repeat(LOOK_SECONDS, () => this.#lookAround(), this.#failed, LOOK_SECONDS)
    const { heartbeatSeconds } = limits
    const beats = repeat(heartbeatSeconds, () => this.#beat(), this.#failed, heartbeatSeconds)
    return [listener, looks, beats]
  }

  #hear(channel: string, payload: string): void {
    const [organizationId = '', assetId = ''] = payload.split(' ')
    const audience = this.#audiences.get(organizationId as OrganizationId)
    if (!audience) return
    if (channel === NEWS_CHANNEL) wake(audience)
    else if (channel === GONE_CHANNEL) this.#endIfGone(audience).catch(this.#failed)
    else if (someWant(audience, assetId as AssetId)) audience.desk.note(assetId as AssetId)
  }

  #wakeAll(): void {
    for (const audience of this.#audiences.values()) wake(audience)
  }

  /** What was not told: the process that wrote an event died before it had a number, or the telling was lost. */
  async #lookAround(): Promise<void> {
    // Each by itself: what goes wrong for one is not to keep the others from being looked after.
    for (const audience of [...this.#audiences.values()])
      await this.#lookAfter(audience).catch(this.#failed)
  }

  async #endThoseGone(): Promise<void> {
    for (const audience of [...this.#audiences.values()]) await this.#endIfGone(audience)
  }

  /** Its log goes on in another cell: its callers connect again, and are led there. */
  async #endIfGone({ db, listeners }: Audience): Promise<void> {
    if (!(await isGone(db))) return
    for (const stream of [...listeners.keys()]) stream.end()
  }

  async #lookAfter(audience: Audience): Promise<void> {
    await this.#endIfGone(audience)
    await settleEvents(audience.db, this.#options.onNumbered)
    const last = await lastNumber(audience.db)
    if (last > audience.lastNumber) wake(audience)
    audience.lastNumber = last
  }

  /** Who stopped listening is noticed by what is sent; who may no longer listen, by asking. */
  async #beat(): Promise<void> {
    for (const stream of this.#streams()) stream.beat()
    for (const { listeners } of [...this.#audiences.values()]) {
      const byToken = Map.groupBy(listeners, ([, { tokenId }]) => tokenId)
      for (const held of byToken.values()) {
        const [first] = held
        if (!first || (await this.#options.isTokenLive(first[1]))) continue
        for (const [stream] of held) stream.end()
      }
    }
  }

  async #tellProgress(
    db: OrganizationDb,
    listeners: Audience['listeners'],
    assetId: AssetId,
  ): Promise<void> {
    const wanting = [...listeners.keys()].filter((stream) => stream.wantsProgress(assetId))
    if (wanting.length === 0) return
    const progress = await this.#options.findProgress(db, assetId)
    if (!progress) return
    const text = progressText(progress)
    for (const stream of wanting) stream.tellProgress(assetId, text)
  }

  *#streams(): Generator<EventStream> {
    for (const { listeners } of this.#audiences.values()) yield* listeners.keys()
  }

  readonly #failed = (err: unknown) =>
    this.#options.logger.warn({ err }, 'event streams could not be served; they are tried again')
}

const wake = ({ listeners }: Audience) => {
  for (const stream of listeners.keys()) stream.wake()
}

const someWant = ({ listeners }: Audience, assetId: AssetId) =>
  [...listeners.keys()].some((stream) => stream.wantsProgress(assetId))

async function* followed(stream: EventStream, leave: () => void): AsyncGenerator<string> {
  try {
    yield* stream.pieces()
  } finally {
    leave()
  }
}

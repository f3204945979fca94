/**
 * A claimed webhook: delivers what is due, several events at a time, until nothing is left.
 *
 * The result of a delivery is written in one round trip, which also reads what is due next or, if nothing else is
 * in progress, releases the webhook. Only one such exchange runs at a time; results that come in during it are
 * written separately. A read may return events that were in progress when it started; these are skipped.
 */
import type { OrganizationDb } from '../../platform/db/database.ts'
import type { Query } from '../../platform/db/statement.ts'
import { isSuspended } from '../../platform/db/suspension.ts'
import { about, recordEvents } from '../events/events.ts'
import { type Told, tell } from './attempt-delivery.ts'
import * as store from './claims.store.ts'
import { disableWebhook } from './disabling.store.ts'
import type { Desk } from './dispatch-context.ts'
import { blamelessQueries, deliveryQueries, webhookQueries } from './outcome.store.ts'
import { insist } from './retry-until-database-back.ts'

/** Concurrent deliveries to one webhook, at most one per subject. */
const UNDER_WAY_MAX = 8

/** Concurrent deliveries after a pause, until one succeeds. */
const UNDER_WAY_AFTER_REST_MAX = 1

/** Pause after an internal error, such as a missing key, which an operator has to fix first. */
const FAULT_REST_SECONDS = 60

/** After this many empty rounds, release the claim; the next poll picks the webhook up again. */
const IDLE_ROUNDS_MAX = 3

export class Hand {
  readonly #db: OrganizationDb
  readonly #desk: Desk
  readonly #holding: store.Holding
  readonly #ending = Promise.withResolvers<void>()
  #target: store.Target
  #readAt = performance.now()
  #queue: store.Due[]
  readonly #underWay = new Set<number>()
  /** A delivery failed, and no read since has certainly seen its result. */
  #mayBeFailing = false
  /** Number of results so far, and of those being written outside an exchange. */
  #outcomes = 0
  #writing = 0
  #isResting = false
  #isTalking = false
  #isWoken = false
  #isOver = false
  #idleRounds = 0

  constructor(db: OrganizationDb, desk: Desk, { target, due }: store.Taken) {
    this.#db = db
    this.#desk = desk
    this.#holding = { workerId: desk.workerId, webhookId: target.webhookId }
    this.#target = target
    this.#queue = [...due]
    this.#goOn()
  }

  /** Resolves when it is no longer claimed. */
  get ended(): Promise<void> {
    return this.#ending.promise
  }

  /** Whether it was woken after the last read. */
  get isWoken(): boolean {
    return this.#isWoken
  }

  /** There may be new events. */
  wake(): void {
    this.#isWoken = true
    this.#goOn()
  }

  #goOn(): void {
    if (this.#isOver) return
    const isStopping = this.#desk.stopping.aborted
    while (!isStopping && !this.#isResting && this.#hasRoom()) {
      const due = this.#queue.shift()
      if (!due) break
      this.#idleRounds = 0
      this.#underWay.add(due.number)
      void this.#run(due)
    }
    if (this.#isTalking) return
    if (isStopping) {
      if (this.#underWay.size === 0) this.#end()
    } else if (this.#underWay.size === 0) {
      void this.#settle()
    } else if (this.#isWoken && this.#queue.length === 0 && !this.#isResting && this.#hasRoom()) {
      void this.#ask([])
    }
  }

  #hasRoom(): boolean {
    const most = this.#target.hasRested ? UNDER_WAY_AFTER_REST_MAX : UNDER_WAY_MAX
    return this.#underWay.size < most
  }

  async #run(due: store.Due): Promise<void> {
    const { organizationId } = this.#db
    const errand = { organizationId, target: this.#target, due, readAt: this.#readAt }
    try {
      const result = await tell(errand, this.#desk)
      if (result) await this.#write(due, result)
    } catch (err) {
      await this.#restBlameless(err, due)
    }
    this.#underWay.delete(due.number)
    if (this.#isOver) this.#end()
    this.#goOn()
  }

  async #write(due: store.Due, { attempt, outcome }: Told): Promise<void> {
    const { subject, refusals } = due
    const { failingSeconds, hasRested } = this.#target
    const mayBeFailing = this.#mayBeFailing
    const before = { isFailing: failingSeconds !== null, hasRested, mayBeFailing }
    const queries = [
      ...deliveryQueries(this.#holding, { ...attempt, subject, refusals }, outcome.delivery),
      ...webhookQueries(this.#holding, before, outcome.webhook),
    ]
    this.#note(outcome)
    if (outcome.disable) return this.#disable(queries, outcome.disable)
    const isMoreKnown = this.#queue.length > 0 && !this.#isResting
    if (!this.#isTalking && !isMoreKnown) return this.#talk(queries, due.number)
    this.#writing++
    const written = await this.#insist(() => this.#db.run(...queries)).finally(() => {
      this.#writing--
    })
    // The claim was lost or the delivery changed by a caller: the events read before may be outdated too.
    if (written?.[0]?.length === 0) this.#queue = []
  }

  /** Applies what deliveries in progress must know before the next read. */
  #note({ webhook }: Told['outcome']): void {
    const isWell = webhook.is === 'well'
    this.#outcomes++
    this.#mayBeFailing ||= !isWell
    if (isWell || webhook.is === 'resting') this.#isResting = !isWell
    const failingSeconds = isWell ? null : (this.#target.failingSeconds ?? 0)
    const hasRested = !isWell && (this.#target.hasRested || webhook.is === 'resting')
    this.#target = { ...this.#target, failingSeconds, hasRested }
  }

  /** Nothing is in progress, and nothing is known to be due. */
  async #settle(): Promise<void> {
    if (this.#idleRounds++ >= IDLE_ROUNDS_MAX) return this.#end()
    await this.#ask(this.#isResting ? [] : [store.restBehindQuery(this.#holding)])
  }

  /** Never throws: if even reading what is due fails, the claim ends. */
  async #ask(queries: readonly Query<unknown>[]): Promise<void> {
    try {
      await this.#talk(queries)
    } catch (err) {
      await this.#restBlameless(err)
      this.#end()
    }
    this.#goOn()
  }

  /** Writes, and reads what is due; releases the webhook if nothing is due and nothing else is in progress. */
  async #talk(queries: readonly Query<unknown>[], ended?: number): Promise<void> {
    this.#isTalking = true
    this.#isWoken = false
    const known = new Set(this.#underWay)
    const isAlone = known.size === 0 || (known.size === 1 && ended !== undefined)
    const layingDown = isAlone ? [store.layDownQuery(this.#holding)] : []
    const readAt = performance.now()
    const isSure = this.#isSureFromNowOn()
    const answers = await this.#insist(() =>
      this.#db.run(...queries, ...layingDown, store.readQuery(this.#holding)),
    ).finally(() => {
      this.#isTalking = false
    })
    const taken = answers && store.toTaken(answers.at(-1) as Parameters<typeof store.toTaken>[0])
    // Released, lost to another worker, deleted, disabled; or Postgres was unavailable for too long.
    if (!taken) return this.#end()
    this.#learn(taken.target, readAt, isSure())
    this.#queue = this.#isResting ? [] : taken.due.filter(({ number }) => !known.has(number))
  }

  /**
   * Whether a read that starts now sees every result: none is being written separately, and none comes in during
   * it.
   */
  #isSureFromNowOn(): () => boolean {
    const [outcomes, isWriting] = [this.#outcomes, this.#writing > 0]
    return () => !isWriting && outcomes === this.#outcomes
  }

  /** Takes over the state that was read. Results known here take precedence unless the read has seen all of them. */
  #learn(read: store.Target, readAt: number, isSure: boolean): void {
    const { failingSeconds: noted, hasRested } = this.#target
    const failingSeconds = noted === null ? null : noted + (readAt - this.#readAt) / 1000
    this.#target = isSure ? read : { ...read, failingSeconds, hasRested }
    if (isSure) this.#mayBeFailing = false
    this.#readAt = readAt
  }

  get #logFields() {
    return { organization_id: this.#db.organizationId, webhook_id: this.#holding.webhookId }
  }

  /** Retries while the database is unavailable. Throws other errors. */
  #insist<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
    const { logger, mail } = this.#desk
    return insist(work, mail.abandoned, (err) =>
      logger.warn({ err, ...this.#logFields }, 'failed to write the result of a webhook delivery'),
    )
  }

  /**
   * Pauses the webhook after an internal error, which would recur at once. It counts neither against the event nor
   * against the webhook. Never throws.
   */
  async #restBlameless(err: unknown, due?: store.Due): Promise<void> {
    const { logger } = this.#desk
    const logFields = { ...this.#logFields, asset_id: due?.assetId ?? undefined }
    if (isSuspended(err)) {
      // The result cannot be written. The event is due again once the suspension ends, or in the cell the
      // organization is migrated to.
      logger.info(logFields, 'webhook released because its organization is suspended')
      return this.#end()
    }
    logger.error(
      { err, ...logFields, number: due?.number },
      'webhook paused after an internal error',
    )
    this.#isResting = true
    this.#target = { ...this.#target, hasRested: true }
    const queries = blamelessQueries(this.#holding, due, FAULT_REST_SECONDS)
    await this.#insist(() => this.#db.run(...queries)).catch((err: unknown) => {
      logger.error({ err, ...logFields }, 'failed to pause a webhook')
      this.#end()
    })
  }

  /** Disables the webhook, records the event, and ends the claim. */
  async #disable(outcome: readonly Query<unknown>[], because: 'gone' | 'failing'): Promise<void> {
    const { webhookId: id } = this.#holding
    const isDisabled = await this.#insist(() =>
      this.#db.transaction(async (tx) => {
        await tx.send(...outcome)
        if (!(await disableWebhook(tx, { ...this.#holding, because }))) return false
        await recordEvents(tx, about(id, { type: 'webhook.disabled', data: { id } }))
        return true
      }),
    )
    if (isDisabled) {
      this.#desk.metrics.countDisabled(because)
      this.#desk.logger.warn({ ...this.#logFields, because }, 'webhook disabled')
    }
    this.#end()
  }

  /** Starts nothing more. It ends when nothing is in progress. */
  #end(): void {
    this.#isOver = true
    if (this.#underWay.size === 0) this.#ending.resolve()
  }
}

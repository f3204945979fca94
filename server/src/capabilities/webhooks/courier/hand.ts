/**
 * A webhook in hand: what is due to it is told, several events at a time, until nothing is.
 *
 * What came of an event is written in one round trip, and the same one asks what is due next, or,
 * if nothing else is under way, lays the webhook down. Only one such conversation goes on at a
 * time; what ends meanwhile is written by itself. What was under way when a question was asked may
 * stand in its answer though it has been told since: that is passed over.
 */
import type { OrganizationDb } from '../../../platform/db/database.ts'
import { isHeld } from '../../../platform/db/held.ts'
import type { Query } from '../../../platform/db/statement.ts'
import { about, recordEvents } from '../../events/events.ts'
import * as store from './courier.store.ts'
import type { Desk } from './desk.ts'
import { disableWebhook } from './disabling.store.ts'
import { insist } from './insist.ts'
import { blamelessQueries, deliveryQueries, webhookQueries } from './outcome.store.ts'
import { type Told, tell } from './telling.ts'

/** To one webhook; of each subject only one. */
const UNDER_WAY_MAX = 8

/** To one that has rested, until it has answered. */
const UNDER_WAY_AFTER_REST_MAX = 1

/** After a fault of our own, such as a key that is missing: somebody has to mend it first. */
const FAULT_REST_SECONDS = 60

/**
 * So often in a row it may be neither laid down nor have anything to tell: whoever looks for it
 * then finds it again.
 */
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
  /** Something failed, and no read since has surely seen what became of it. */
  #mayBeFailing = false
  /** Outcomes so far, and those of them that are being written beside a conversation. */
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

  /** Resolves when it is in hand no longer. */
  get ended(): Promise<void> {
    return this.#ending.promise
  }

  /** Whether it was woken after it was asked for the last time what is due. */
  get isWoken(): boolean {
    return this.#isWoken
  }

  /** There may be something new. */
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
      const told = await tell(errand, this.#desk)
      if (told) await this.#write(due, told)
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
    // Not ours any more, or changed by somebody: what was read before may be so as well.
    if (written?.[0]?.length === 0) this.#queue = []
  }

  /** What others that are under way have to know before it is read again. */
  #note({ webhook }: Told['outcome']): void {
    const isWell = webhook.is === 'well'
    this.#outcomes++
    this.#mayBeFailing ||= !isWell
    if (isWell || webhook.is === 'resting') this.#isResting = !isWell
    const failingSeconds = isWell ? null : (this.#target.failingSeconds ?? 0)
    const hasRested = !isWell && (this.#target.hasRested || webhook.is === 'resting')
    this.#target = { ...this.#target, failingSeconds, hasRested }
  }

  /** Nothing is under way and nothing is known to be due. */
  async #settle(): Promise<void> {
    if (this.#idleRounds++ >= IDLE_ROUNDS_MAX) return this.#end()
    await this.#ask(this.#isResting ? [] : [store.restBehindQuery(this.#holding)])
  }

  /** Never throws: one that cannot even be asked what is due is in hand no longer. */
  async #ask(queries: readonly Query<unknown>[]): Promise<void> {
    try {
      await this.#talk(queries)
    } catch (err) {
      await this.#restBlameless(err)
      this.#end()
    }
    this.#goOn()
  }

  /**
   * Writes, and asks what is due; lays it down if that is nothing, and nothing is under way but
   * what has just ended.
   */
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
    // Laid down, lost to another worker, deleted, disabled; or Postgres has been away for too long.
    if (!taken) return this.#end()
    this.#learn(taken.target, readAt, isSure())
    this.#queue = this.#isResting ? [] : taken.due.filter(({ number }) => !known.has(number))
  }

  /**
   * Whether what is read from now on has seen every outcome: none is being written beside it, and
   * none has come meanwhile.
   */
  #isSureFromNowOn(): () => boolean {
    const [outcomes, isWriting] = [this.#outcomes, this.#writing > 0]
    return () => !isWriting && outcomes === this.#outcomes
  }

  /** How it stands was read; but what came of events is known better here, unless all of it was seen. */
  #learn(read: store.Target, readAt: number, isSure: boolean): void {
    const { failingSeconds: noted, hasRested } = this.#target
    const failingSeconds = noted === null ? null : noted + (readAt - this.#readAt) / 1000
    this.#target = isSure ? read : { ...read, failingSeconds, hasRested }
    if (isSure) this.#mayBeFailing = false
    this.#readAt = readAt
  }

  get #facts() {
    return { organization_id: this.#db.organizationId, webhook_id: this.#holding.webhookId }
  }

  /** Throws what would only be thrown again. */
  #insist<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
    const { logger, mail } = this.#desk
    return insist(work, mail.abandoned, (err) =>
      logger.warn({ err, ...this.#facts }, 'could not write what came of it'),
    )
  }

  /**
   * The fault is ours, and the same would happen again at once. Nothing is counted against the
   * event or the webhook. Never throws.
   */
  async #restBlameless(err: unknown, due?: store.Due): Promise<void> {
    const { logger } = this.#desk
    const facts = { ...this.#facts, asset_id: due?.assetId ?? undefined }
    if (isHeld(err)) {
      // What came of it cannot be written. It is due again once the organization is released, or
      // where it has been moved.
      logger.info(facts, 'a webhook is laid down, because its organization is held')
      return this.#end()
    }
    logger.error({ err, ...facts, number: due?.number }, 'a webhook rests for a fault of ours')
    this.#isResting = true
    this.#target = { ...this.#target, hasRested: true }
    const queries = blamelessQueries(this.#holding, due, FAULT_REST_SECONDS)
    await this.#insist(() => this.#db.run(...queries)).catch((err: unknown) => {
      logger.error({ err, ...facts }, 'could not write that it rests')
      this.#end()
    })
  }

  /** Says so to whoever wants to know, and is in hand no longer. */
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
      this.#desk.logger.warn({ ...this.#facts, because }, 'a webhook was disabled')
    }
    this.#end()
  }

  /** Nothing more is begun. It is over when nothing is under way either. */
  #end(): void {
    this.#isOver = true
    if (this.#underWay.size === 0) this.#ending.resolve()
  }
}

/**
 * Writes the entries that do not belong to a change: refusals, sign-ins, reads of secrets. They are written in batches,
 * and the response waits for its batch, so no response is lost from the log when the process is killed. If the database
 * does not accept a batch, the responses are sent and the entries are kept in memory for the next try.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { OrganizationId } from '../../kernel/ids.ts'
import type { Database } from '../../platform/db/database.ts'
import { isSuspended } from '../../platform/db/suspension.ts'
import { type Actor, type NewEntry, recordEntries } from './audit.ts'
import { RefusalLimit } from './refusal-limit.rules.ts'

/** Entries within this time are written together. */
const BATCH_MILLISECONDS = 10

/** Time until entries are tried again after a failure. */
const RETRY_MILLISECONDS = 1000

/** Entries in memory. Further ones are lost and counted; reached only if the database is unavailable. */
const ENTRIES_MAX = 10_000

/** Time between two looks for minutes with omitted refusals. */
const OMISSIONS_MILLISECONDS = 10_000

/** Why entries were lost: the database was unavailable for long, or the organization is suspended. */
export type LossReason = 'unavailable' | 'suspended'

export type AuditWriterOptions = {
  readonly database: Database
  readonly onLost: (count: number, reason: LossReason) => void
  readonly onFailure: (error: unknown) => void
}

type Waiting = { readonly entry: NewEntry; readonly since: number }

type RefusedPrincipal = { readonly id: string; readonly organizationId: OrganizationId; readonly actor: Actor }

export class AuditWriter implements AsyncDisposable {
  readonly #options: AuditWriterOptions
  #waiting = new Map<OrganizationId, Waiting[]>()
  #count = 0
  #isClosed = false
  #flush: Promise<void> | undefined
  readonly #refusals = new RefusalLimit<RefusedPrincipal>()
  readonly #omissions: NodeJS.Timeout

  constructor(options: AuditWriterOptions) {
    this.#options = options
    this.#omissions = setInterval(() => this.#recordOmissions(), OMISSIONS_MILLISECONDS).unref()
  }

  /** Resolves when the entry is stored, or when the database did not accept it. Never rejects. */
  record(organizationId: OrganizationId, entry: NewEntry): Promise<void> {
    if (this.#count >= ENTRIES_MAX) {
      this.#options.onLost(1, 'unavailable')
      return Promise.resolve()
    }
    this.#add(organizationId, [{ entry, since: performance.now() }])
    return this.#startFlush(BATCH_MILLISECONDS)
  }

  /** Like `record`, within the limit of refusals per principal and minute. */
  async recordRefusal(organizationId: OrganizationId, entry: NewEntry): Promise<void> {
    const { actor } = entry
    const principal = { id: `${organizationId} ${actor.id ?? entry.address}`, organizationId, actor }
    if (this.#refusals.add(principal, performance.now())) await this.record(organizationId, entry)
  }

  #add(organizationId: OrganizationId, added: readonly Waiting[]): void {
    this.#count += added.length
    this.#waiting.set(organizationId, [...(this.#waiting.get(organizationId) ?? []), ...added])
  }

  /** Returns the flush that will contain the entries that are waiting now. */
  #startFlush(milliseconds: number): Promise<void> {
    this.#flush ??= sleep(milliseconds).then(() => {
      this.#flush = undefined
      return this.#writeAll()
    })
    return this.#flush
  }

  async #writeAll(): Promise<void> {
    const waiting = this.#waiting
    this.#waiting = new Map()
    this.#count = 0
    await Promise.all([...waiting].map(([organizationId, entries]) => this.#write(organizationId, entries)))
  }

  async #write(organizationId: OrganizationId, waiting: readonly Waiting[]): Promise<void> {
    const { database, onLost, onFailure } = this.#options
    const now = performance.now()
    const entries = waiting.map(({ entry, since }) => ({ ...entry, ageMilliseconds: now - since }))
    try {
      await recordEntries(database.forOrganization(organizationId), entries)
    } catch (error) {
      if (isSuspended(error)) return onLost(waiting.length, 'suspended')
      onFailure(error)
      const kept = waiting.slice(0, Math.max(0, ENTRIES_MAX - this.#count))
      if (kept.length < waiting.length) onLost(waiting.length - kept.length, 'unavailable')
      this.#add(organizationId, kept)
      if (!this.#isClosed) void this.#startFlush(RETRY_MILLISECONDS)
    }
  }

  #recordOmissions(isLast = false): void {
    for (const { principal, count } of this.#refusals.takeOmissions(performance.now(), isLast)) {
      const { organizationId, actor } = principal
      void this.record(organizationId, omissionOf(actor, count))
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#omissions)
    this.#recordOmissions(true)
    this.#isClosed = true
    await this.#flush
    if (this.#count > 0) await this.#writeAll()
    if (this.#count > 0) this.#options.onLost(this.#count, 'unavailable')
  }
}

/** One entry for refusals that were not recorded one by one. */
const omissionOf = (actor: Actor, count: number): NewEntry => ({
  ...{ actor, action: 'furtherRefusals', object: null, outcome: 'refused', errorCode: null, count },
  ...{ address: null, userAgent: null, requestId: null },
})

/**
 * The last values that were read from the database, for viewers who continue to watch while it is unavailable. A value
 * is used for a limited time after it was read. The number of values is limited too; the least recently used are
 * evicted. Nothing is kept about what does not exist, because clients can invent ids. Only reads can use it: a write
 * fails as long as the database is unavailable.
 */
import type { OrganizationId } from '../../../kernel/ids.ts'
import type { Database, OrganizationDb } from '../database.ts'
import { isDatabaseLost } from '../errors/availability.ts'
import { isTemporary } from '../errors/overload.ts'
import type { Query } from '../statement.ts'
import { OrganizationValues } from './organization-values.ts'

/** While the database is unavailable, one request in this time queries it. All others use the last value. */
const CHECK_SECONDS = 2

export type LastKnownOptions = {
  /** How long a value is used after it was read; 0: not at all. */
  readonly seconds: number
  /** Called when the first read fails. */
  readonly onUnavailable?: (error: unknown) => void
  /** Called when the database responds again. */
  readonly onAvailable?: () => void
}

export type Known<Value> = {
  readonly value: Value
  /** Whether the value was read before, because the database is unavailable. */
  readonly isStale: boolean
}

export class LastKnown {
  readonly #database: Database
  readonly #options: LastKnownOptions
  readonly #values: OrganizationValues
  /** When the database is queried again; undefined while it is available. */
  #nextCheckAt: number | undefined
  /**
   * Number of evictions of each organization. A value that was being read during one may be outdated, and is not kept.
   * Only organizations that exist are evicted, so the number of entries is limited.
   */
  readonly #evictions = new Map<OrganizationId, number>()

  constructor(database: Database, options: LastKnownOptions) {
    this.#database = database
    this.#options = options
    this.#values = new OrganizationValues(options.seconds)
  }

  /** A handle like that of `Database.forRequest`, whose short reads return the last rows if necessary. */
  forRequest(organizationId: OrganizationId): OrganizationDb {
    return new LastKnownDb(this, this.#database.forRequest(organizationId))
  }

  /**
   * Loads a value; undefined means that it does not exist. If the database is lost, returns the last value; throws if
   * none is known.
   */
  async read<Value extends object | undefined>(
    organizationId: OrganizationId,
    name: string,
    load: () => Promise<Value>,
  ): Promise<Known<Value>> {
    const evictions = this.#evictions.get(organizationId)
    if (this.#isWaiting()) {
      const value = this.#values.get(organizationId, name)
      if (value) return { value: value as Value, isStale: true }
    }
    try {
      const value = await load()
      this.#setAvailable()
      if (evictions === this.#evictions.get(organizationId)) this.#keep(organizationId, name, value)
      return { value, isStale: false }
    } catch (error) {
      if (isDatabaseLost(error)) this.#setUnavailable(error)
      // A lost database is not back if too many queries wait for it.
      else if (!(this.#isUnavailable && isTemporary(error))) throw error
      const value = this.#values.get(organizationId, name)
      if (!value) throw error
      return { value: value as Value, isStale: true }
    }
  }

  #keep(organizationId: OrganizationId, name: string, value: object | undefined): void {
    if (value === undefined) this.#values.delete(organizationId, name)
    else if (this.#options.seconds > 0) this.#values.set(organizationId, name, value)
  }

  /** Removes everything about an organization, because a part of it is outdated. */
  evict(organizationId: OrganizationId): void {
    this.#evictions.set(organizationId, (this.#evictions.get(organizationId) ?? 0) + 1)
    this.#values.clear(organizationId)
  }

  get #isUnavailable(): boolean {
    return this.#nextCheckAt !== undefined
  }

  /** Whether to use the last value without a query. If a check is due, the caller makes it and others continue. */
  #isWaiting(): boolean {
    if (this.#nextCheckAt === undefined) return false
    if (now() < this.#nextCheckAt) return true
    this.#nextCheckAt = now() + CHECK_SECONDS * 1000
    return false
  }

  #setAvailable(): void {
    if (!this.#isUnavailable) return
    this.#nextCheckAt = undefined
    this.#options.onAvailable?.()
  }

  #setUnavailable(error: unknown): void {
    if (!this.#isUnavailable) this.#options.onUnavailable?.(error)
    this.#nextCheckAt = now() + CHECK_SECONDS * 1000
  }
}

/** Caches the rows of short reads. Forwards everything else. */
class LastKnownDb implements OrganizationDb {
  readonly #lastKnown: LastKnown
  readonly #db: OrganizationDb

  constructor(lastKnown: LastKnown, db: OrganizationDb) {
    this.#lastKnown = lastKnown
    this.#db = db
  }

  get organizationId() {
    return this.#db.organizationId
  }

  get limits() {
    return this.#db.limits
  }

  readonly run: OrganizationDb['run'] = async (...queries) => {
    if (!queries.every(isShortRead)) return this.#db.run(...queries)
    const name = JSON.stringify(queries.map(({ name, values }) => [name, values(this.organizationId)]))
    return (await this.#lastKnown.read(this.organizationId, name, () => this.#db.run(...queries))).value
  }

  readonly send: OrganizationDb['send'] = (...queries) => this.#db.send(...queries)

  readonly transaction: OrganizationDb['transaction'] = (work) => this.#db.transaction(work)

  readonly withTrash: OrganizationDb['withTrash'] = (work) => this.#db.withTrash(work)

  readonly withLimits: OrganizationDb['withLimits'] = (limits, work) => this.#db.withLimits(limits, work)
}

/** Results of queries with a dedicated connection may be large. */
const isShortRead = ({ writes, notifies, needsDedicatedConnection }: Query<unknown>) =>
  !(writes || notifies || needsDedicatedConnection)

const now = () => performance.now()

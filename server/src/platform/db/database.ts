/**
 * Access to the database.
 *
 * Tables are read and written only through an `OrganizationDb`: a handle bound to one organization. It sets
 * the organization for row-level security before every statement and fills in the `organizationId` parameter
 * of the statements. A query without an organization condition finds no rows of other organizations, and a
 * query with the wrong organization cannot be written.
 */
import type pg from 'pg'
import type { OrganizationId } from '../../kernel/ids.ts'
import type { Limits } from '../../kernel/limits.ts'
import { traced } from '../observability/tracing.ts'
import { type ChangeRecord, recordQueries } from './change-record.ts'
import type { BatchStatement } from './connections/batch.ts'
import { Multiplexer } from './connections/multiplexer.ts'
import { CONNECT_TIMEOUT_SECONDS, openPool, type PoolOptions } from './connections/pool.ts'
import { markBroken, runBatch } from './connections/pooled-client.ts'
import { type TenantConnections, TenantQuota } from './connections/tenant-quota.ts'
import { plain, seeingTrash, sessionStatement, type TenantSession, usesCustomPlan } from './session-settings.ts'
import type { Query } from './statement.ts'

type Rows<Queries extends readonly Query<unknown>[]> = {
  [Index in keyof Queries]: Queries[Index] extends Query<infer Row> ? Row[] : never
}

export interface OrganizationDb {
  readonly organizationId: OrganizationId

  /** The part of the organization that this handle sees and changes; undefined for all of it. */
  readonly limits: Limits | undefined

  /**
   * Runs the queries in order, in one round trip. Outside of `transaction` they are one transaction: all
   * take effect or none.
   */
  run<const Queries extends readonly Query<unknown>[]>(...queries: Queries): Promise<Rows<Queries>>

  /**
   * Like `run`, without the rows. In a transaction the queries are sent with the next `run` or with the
   * commit: they cost no extra round trip, and their errors are thrown there.
   */
  send(...queries: readonly Query<unknown>[]): Promise<void>

  /** Commits when `work` resolves, rolls back when it rejects. Nested calls join the outer transaction. */
  transaction<Result>(work: (tx: OrganizationDb) => Promise<Result>): Promise<Result>

  /** Runs `work` with a handle that also sees the trash, in the same transaction if there is one. */
  withTrash<Result>(work: (db: OrganizationDb) => Promise<Result>): Promise<Result>

  /** Runs `work` with a handle that has other limits, or none, in the same transaction if there is one. */
  withLimits<Result>(limits: Limits | undefined, work: (db: OrganizationDb) => Promise<Result>): Promise<Result>
}

/** Limits of the principal, and what is recorded about its request. */
type RequestOptions = {
  readonly limits?: Limits | undefined
  readonly record?: ChangeRecord | undefined
}

export class Database implements AsyncDisposable {
  readonly #pool: pg.Pool
  readonly #multiplexer: Multiplexer
  readonly #quota: TenantQuota
  #notifyCommit: (organizationId: OrganizationId) => void = () => {}
  #recordFor: ((organizationId: OrganizationId) => ChangeRecord) | undefined

  constructor(options: PoolOptions, onIdleError: (error: Error) => void) {
    this.#pool = openPool(options, onIdleError, {
      // Several queries may be in flight on one connection; multiplexer.ts decides which.
      pipeline: true,
      // Plan each prepared statement once: ours use the same index whatever the values. By default Postgres
      // would re-plan most of them on every run, because the LIMIT is a parameter too.
      options: '-c timezone=UTC -c plan_cache_mode=force_generic_plan',
    })
    const { connectionsMax, connectTimeoutSeconds: waitSeconds = CONNECT_TIMEOUT_SECONDS } = options
    const connectionsPerUse = Math.ceil(connectionsMax / 4)
    this.#multiplexer = new Multiplexer(this.#pool, { connectionsMax: connectionsPerUse, waitSeconds })
    this.#quota = new TenantQuota(this.#pool, {
      perOrganization: connectionsPerUse,
      total: Math.max(1, connectionsMax - connectionsPerUse),
      waitSeconds,
    })
  }

  forOrganization(organizationId: OrganizationId, record?: ChangeRecord): OrganizationDb {
    return this.#openSession({ organizationId, kind: 'full', ...(record && { record }) })
  }

  /**
   * Like `forOrganization`, but does not see the trash, and nothing outside the limits of the principal. Used for
   * requests of clients and viewers. The first transaction that changes something also writes `record`.
   */
  forRequest(organizationId: OrganizationId, { limits, record }: RequestOptions = {}): OrganizationDb {
    return this.#openSession({ organizationId, kind: 'request', limits, record })
  }

  /** Like `forOrganization`, but may write to a suspended organization. Used by the migration between cells. */
  forMigration(organizationId: OrganizationId): OrganizationDb {
    return this.#openSession({ organizationId, kind: 'migration' })
  }

  /** Sets the records of changes through handles that have none of their own, for a command of the operator. */
  recordChanges(recordFor: (organizationId: OrganizationId) => ChangeRecord): void {
    this.#recordFor = recordFor
  }

  #openSession(given: TenantSession): OrganizationDb {
    const { organizationId } = given
    const session = this.#recordFor ? { record: this.#recordFor(organizationId), ...given } : given
    return new PooledDb(this.#quota.forOrganization(organizationId), this.#multiplexer, session, () =>
      this.#notifyCommit(organizationId),
    )
  }

  /**
   * Sets the callback that runs after a commit that contains a `notifying` statement. Only a hint: it is
   * lost when the process dies.
   */
  onCommitNotify(callback: (organizationId: OrganizationId) => void): void {
    this.#notifyCommit = callback
  }

  /**
   * Runs a query outside any organization: a health check, or an administrator's query with the owner role.
   * With the service's role it finds no rows of any organization. Queries with a dedicated connection share
   * one quota, like those of an organization.
   */
  async runUnscoped<Row>(query: Query<Row>): Promise<Row[]> {
    const batch = bind([query], NO_ORGANIZATION)
    const [rows = []] = query.needsDedicatedConnection
      ? await this.#quota.forOrganization(NO_ORGANIZATION).use((client) => runBatch(client, batch))
      : await this.#multiplexer.run(batch)
    return rows as Row[]
  }

  get connections() {
    const { totalCount, idleCount, waitingCount } = this.#pool
    return {
      open: totalCount,
      idle: idleCount,
      waiting: waitingCount + this.#multiplexer.queueLength,
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool.end()
  }
}

/** Name of the span from waiting for a connection to the commit. */
const TRANSACTION = 'transaction'

class PooledDb implements OrganizationDb {
  readonly #connections: TenantConnections
  readonly #multiplexer: Multiplexer
  readonly #session: TenantSession
  readonly organizationId: OrganizationId
  readonly limits: Limits | undefined
  readonly #notifyCommit: () => void

  constructor(
    connections: TenantConnections,
    multiplexer: Multiplexer,
    session: TenantSession,
    notifyCommit: () => void,
  ) {
    this.#connections = connections
    this.#multiplexer = multiplexer
    this.#session = session
    this.organizationId = session.organizationId
    this.limits = session.limits
    this.#notifyCommit = notifyCommit
  }

  async run<const Queries extends readonly Query<unknown>[]>(...queries: Queries): Promise<Rows<Queries>> {
    const { record } = this.#session
    const all = [...queries, ...recordQueries(record, queries)]
    const batch = [sessionStatement(this.#session, queries), ...bind(all, this.organizationId)]
    const needsDedicatedConnection = queries.some((query) => query.needsDedicatedConnection)
    const rows = await traced(TRANSACTION, { statements: queries.length }, () =>
      needsDedicatedConnection
        ? this.#connections.use((client) => runBatch(client, batch))
        : this.#multiplexer.run(batch),
    )
    if (queries.some(notifies)) this.#notifyCommit()
    if (record && all.length > queries.length) record.isWritten = hasRow(rows.at(-1))
    return rows.slice(1, queries.length + 1) as Rows<Queries>
  }

  async send(...queries: readonly Query<unknown>[]): Promise<void> {
    await this.run(...queries)
  }

  transaction<Result>(work: (tx: OrganizationDb) => Promise<Result>): Promise<Result> {
    return traced(TRANSACTION, {}, () => this.#transaction(work))
  }

  withTrash<Result>(work: (db: OrganizationDb) => Promise<Result>): Promise<Result> {
    return this.#with(seeingTrash(this.#session), work)
  }

  withLimits<Result>(limits: Limits | undefined, work: (db: OrganizationDb) => Promise<Result>): Promise<Result> {
    return this.#with({ ...this.#session, limits }, work)
  }

  #with<Result>(session: TenantSession, work: (db: OrganizationDb) => Promise<Result>): Promise<Result> {
    return work(new PooledDb(this.#connections, this.#multiplexer, session, this.#notifyCommit))
  }

  #transaction<Result>(work: (tx: OrganizationDb) => Promise<Result>): Promise<Result> {
    return this.#connections.use(async (client) => {
      const tx = new TransactionDb(client, this.#session)
      try {
        const result = await work(tx)
        await tx.commit()
        if (tx.notifies) this.#notifyCommit()
        return result
      } catch (error) {
        await tx.rollback()
        throw error
      }
    })
  }
}

/** Sends BEGIN with the first query, and COMMIT with the last queries given to `send`, to save round trips. */
class TransactionDb implements OrganizationDb {
  readonly #client: pg.PoolClient
  #session: TenantSession
  readonly organizationId: OrganizationId
  #isOpen = false
  /** The settings of `#session` must be sent before the next query. */
  #hasNewSession = true
  /** The settings of the transaction contain limits, which a handle without limits must reset. */
  #wasLimited = false
  /** Queries given to `send` and not yet written to the connection. */
  #unsent: Query<unknown>[] = []
  #notifies = false
  /** The queries that changed something or may have. */
  readonly #writes: Query<unknown>[] = []
  /** The first error in the transaction; after it Postgres accepts only a rollback. */
  #error: unknown

  constructor(client: pg.PoolClient, session: TenantSession) {
    this.#client = client
    this.#session = session
    this.organizationId = session.organizationId
  }

  async run<const Queries extends readonly Query<unknown>[]>(...queries: Queries): Promise<Rows<Queries>> {
    const rows = await this.#runWithUnsent(queries)
    return rows.slice(rows.length - queries.length) as Rows<Queries>
  }

  async send(...queries: readonly Query<unknown>[]): Promise<void> {
    this.#unsent.push(...queries)
  }

  get notifies(): boolean {
    return this.#notifies
  }

  async #runWithUnsent(queries: readonly Query<unknown>[], ...last: BatchStatement[]) {
    const all = [...this.#unsent.splice(0), ...queries]
    this.#notifies ||= all.some(notifies)
    if (this.#session.record) this.#writes.push(...all.filter(({ writes }) => writes))
    this.#wasLimited ||= this.#session.limits !== undefined
    const opening =
      this.#hasNewSession || usesCustomPlan(all) ? [sessionStatement(this.#session, all, this.#wasLimited)] : []
    if (!this.#isOpen) opening.unshift(begin)
    this.#isOpen = true
    this.#hasNewSession = false
    try {
      const batch = [...opening, ...bind(all, this.organizationId), ...last]
      return await runBatch(this.#client, batch)
    } catch (error) {
      this.#error ??= error
      throw error
    }
  }

  transaction<Result>(work: (tx: OrganizationDb) => Promise<Result>): Promise<Result> {
    return work(this)
  }

  get limits(): Limits | undefined {
    return this.#session.limits
  }

  withTrash<Result>(work: (db: OrganizationDb) => Promise<Result>): Promise<Result> {
    return this.#with(seeingTrash(this.#session), work)
  }

  withLimits<Result>(limits: Limits | undefined, work: (db: OrganizationDb) => Promise<Result>): Promise<Result> {
    return this.#with({ ...this.#session, limits }, work)
  }

  async #with<Result>(session: TenantSession, work: (db: OrganizationDb) => Promise<Result>): Promise<Result> {
    const before = this.#session
    if (session.kind === before.kind && session.limits === before.limits) return work(this)
    // Queries that were given before run with the settings that they were given with.
    if (this.#unsent.length > 0 && session.limits !== before.limits) await this.#runWithUnsent([])
    this.#setSession(session)
    try {
      const result = await work(this)
      if (this.#unsent.length > 0) await this.#runWithUnsent([])
      return result
    } finally {
      this.#setSession(before)
    }
  }

  #setSession(session: TenantSession): void {
    this.#hasNewSession ||= session.kind !== this.#session.kind || session.limits !== this.#session.limits
    this.#session = session
  }

  /** Throws an earlier error even if `work` caught it: Postgres would turn the commit into a rollback. */
  async commit(): Promise<void> {
    if (this.#error !== undefined) throw this.#error
    if (this.#isOpen || this.#unsent.length > 0) await this.#commitWithRecord()
    this.#isOpen = false
  }

  async #commitWithRecord(): Promise<void> {
    const { record } = this.#session
    const recording = recordQueries(record, [...this.#writes, ...this.#unsent])
    const rows = await this.#runWithUnsent(recording, commit)
    if (record && recording.length > 0) record.isWritten = hasRow(rows.at(-2))
  }

  async rollback(): Promise<void> {
    if (this.#isOpen) await runBatch(this.#client, [rollback]).catch(() => markBroken(this.#client))
    this.#isOpen = false
  }
}

function bind(queries: readonly Query<unknown>[], organizationId: OrganizationId) {
  return queries.map(({ name, text, values }) => ({ name, text, values: values(organizationId) }))
}

const hasRow = (rows: readonly unknown[] | undefined) => rows !== undefined && rows.length > 0

const notifies = (query: Query<unknown>) => query.notifies === true

const NO_ORGANIZATION = '' as OrganizationId

const begin = plain('begin')
const commit = plain('commit')
const rollback = plain('rollback')

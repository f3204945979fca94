/**
 * The way to the database.
 *
 * Nothing reaches a table but through an `OrganizationDb`: a handle that is bound to one organization,
 * tells Postgres so before every statement (row-level security does the rest) and fills in the
 * `organizationId` of the statements themselves. So a query that forgot its organization finds nothing
 * of anybody else's, and one with the wrong organization cannot be written.
 */
import type pg from 'pg'
import type { OrganizationId } from '../../kernel/ids.ts'
import { traced } from '../observability/tracing.ts'
import type { BatchStatement } from './batch.ts'
import { Lanes } from './lanes.ts'
import { openPool, type PoolOptions } from './pool.ts'
import { markBroken, runBatch } from './pooled-client.ts'
import { type Share, Shares } from './shares.ts'
import { nameOf, type Query } from './statement.ts'

type Rows<Queries extends readonly Query<unknown>[]> = {
  [Index in keyof Queries]: Queries[Index] extends Query<infer Row> ? Row[] : never
}

export interface OrganizationDb {
  readonly organizationId: OrganizationId

  /**
   * Runs the queries in order, in one round trip. Outside of `transaction` they are a transaction of
   * their own: all of them happen or none.
   */
  run<const Queries extends readonly Query<unknown>[]>(...queries: Queries): Promise<Rows<Queries>>

  /**
   * As `run`, for queries whose answers nobody needs. In a transaction they travel with the next ones, or with the
   * commit: they cost no round trip of their own, and what is wrong with them is told there.
   */
  send(...queries: readonly Query<unknown>[]): Promise<void>

  /** Commits what `work` did unless it throws. Inside another transaction it joins that one. */
  transaction<Result>(work: (tx: OrganizationDb) => Promise<Result>): Promise<Result>
}

export class Database implements AsyncDisposable {
  readonly #pool: pg.Pool
  readonly #lanes: Lanes
  readonly #shares: Shares
  #tellNews: (organizationId: OrganizationId) => void = () => {}

  constructor(options: PoolOptions, onIdleError: (error: Error) => void) {
    this.#pool = openPool(options, onIdleError, {
      // Several queries may be under way on one connection; lanes.ts decides which.
      pipeline: true,
      // A prepared statement is planned once: ours find their rows by the same index whatever the values.
      // Left to itself Postgres would plan most of them each time, because a LIMIT is a value too.
      options: '-c timezone=UTC -c plan_cache_mode=force_generic_plan',
    })
    const quarter = Math.ceil(options.connectionsMax / 4)
    this.#lanes = new Lanes(this.#pool, quarter)
    this.#shares = new Shares(this.#pool, quarter)
  }

  forOrganization(organizationId: OrganizationId): OrganizationDb {
    return this.#bound({ organizationId, isMover: false })
  }

  /** As `forOrganization`, and what it writes passes the barrier of an organization that is held. */
  forMover(organizationId: OrganizationId): OrganizationDb {
    return this.#bound({ organizationId, isMover: true })
  }

  #bound(visitor: Visitor): OrganizationDb {
    const { organizationId } = visitor
    return new PooledDb(this.#shares.of(organizationId), this.#lanes, visitor, () =>
      this.#tellNews(organizationId),
    )
  }

  /**
   * Has this done whenever something that is news to its organization was committed here. A hint,
   * and no more: processes die.
   */
  onNews(tell: (organizationId: OrganizationId) => void): void {
    this.#tellNews = tell
  }

  /**
   * Runs a query that belongs to no organization: a health check, or the administrator's look at all of
   * them as the owner. As the service's own role it finds no row of any organization. For what takes
   * long, those that belong to none have a share like any organization.
   */
  async ask<Row>(query: Query<Row>): Promise<Row[]> {
    const batch = bind([query], NO_ORGANIZATION)
    const [rows = []] = query.mayTakeLong
      ? await this.#shares.of(NO_ORGANIZATION).use((client) => runBatch(client, batch))
      : await this.#lanes.run(batch)
    return rows as Row[]
  }

  get connections() {
    const { totalCount, idleCount, waitingCount } = this.#pool
    return { open: totalCount, idle: idleCount, waiting: waitingCount + this.#lanes.waiting }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool.end()
  }
}

/** As whom Postgres is asked. */
type Visitor = { readonly organizationId: OrganizationId; readonly isMover: boolean }

/** From the wait for a connection to the commit. */
const TRANSACTION = 'transaction'

class PooledDb implements OrganizationDb {
  readonly #share: Share
  readonly #lanes: Lanes
  readonly #visitor: Visitor
  readonly organizationId: OrganizationId
  readonly #tellNews: () => void

  constructor(share: Share, lanes: Lanes, visitor: Visitor, tellNews: () => void) {
    this.#share = share
    this.#lanes = lanes
    this.#visitor = visitor
    this.organizationId = visitor.organizationId
    this.#tellNews = tellNews
  }

  async run<const Queries extends readonly Query<unknown>[]>(
    ...queries: Queries
  ): Promise<Rows<Queries>> {
    const batch = [enter(this.#visitor, queries), ...bind(queries, this.organizationId)]
    const mayTakeLong = queries.some((query) => query.mayTakeLong)
    const rows = await traced(TRANSACTION, { statements: queries.length }, () =>
      mayTakeLong ? this.#share.use((client) => runBatch(client, batch)) : this.#lanes.run(batch),
    )
    if (queries.some(isNews)) this.#tellNews()
    return rows.slice(1) as Rows<Queries>
  }

  async send(...queries: readonly Query<unknown>[]): Promise<void> {
    await this.run(...queries)
  }

  transaction<Result>(work: (tx: OrganizationDb) => Promise<Result>): Promise<Result> {
    return traced(TRANSACTION, {}, () => this.#transaction(work))
  }

  #transaction<Result>(work: (tx: OrganizationDb) => Promise<Result>): Promise<Result> {
    return this.#share.use(async (client) => {
      const tx = new TransactionDb(client, this.#visitor)
      try {
        const result = await work(tx)
        await tx.commit()
        if (tx.bringsNews) this.#tellNews()
        return result
      } catch (error) {
        await tx.rollback()
        throw error
      }
    })
  }
}

/** BEGIN travels with the first query and COMMIT with what was sent last: neither costs a round trip then. */
class TransactionDb implements OrganizationDb {
  readonly #client: pg.PoolClient
  readonly #visitor: Visitor
  readonly organizationId: OrganizationId
  #isOpen = false
  /** Sent, and not yet on its way. */
  #unsent: Query<unknown>[] = []
  #bringsNews = false
  /** The first thing that went wrong; after it Postgres refuses everything but a rollback. */
  #fault: unknown

  constructor(client: pg.PoolClient, visitor: Visitor) {
    this.#client = client
    this.#visitor = visitor
    this.organizationId = visitor.organizationId
  }

  async run<const Queries extends readonly Query<unknown>[]>(
    ...queries: Queries
  ): Promise<Rows<Queries>> {
    const rows = await this.#runWithUnsent(queries)
    return rows.slice(rows.length - queries.length) as Rows<Queries>
  }

  async send(...queries: readonly Query<unknown>[]): Promise<void> {
    this.#unsent.push(...queries)
  }

  get bringsNews(): boolean {
    return this.#bringsNews
  }

  async #runWithUnsent(queries: readonly Query<unknown>[], ...last: BatchStatement[]) {
    const all = [...this.#unsent.splice(0), ...queries]
    this.#bringsNews ||= all.some(isNews)
    const opening = this.#isOpen && !isPlannedAnew(all) ? [] : [enter(this.#visitor, all)]
    if (!this.#isOpen) opening.unshift(begin)
    this.#isOpen = true
    try {
      const batch = [...opening, ...bind(all, this.organizationId), ...last]
      return await runBatch(this.#client, batch)
    } catch (error) {
      this.#fault ??= error
      throw error
    }
  }

  transaction<Result>(work: (tx: OrganizationDb) => Promise<Result>): Promise<Result> {
    return work(this)
  }

  /** Throws what went wrong before, even if it was overlooked: Postgres would "commit" nothing. */
  async commit(): Promise<void> {
    if (this.#fault !== undefined) throw this.#fault
    if (this.#isOpen || this.#unsent.length > 0) await this.#runWithUnsent([], commit)
    this.#isOpen = false
  }

  async rollback(): Promise<void> {
    if (this.#isOpen) await runBatch(this.#client, [rollback]).catch(() => markBroken(this.#client))
    this.#isOpen = false
  }
}

function bind(queries: readonly Query<unknown>[], organizationId: OrganizationId) {
  return queries.map(({ name, text, values }) => ({ name, text, values: values(organizationId) }))
}

const isNews = (query: Query<unknown>) => query.isNews === true

const NO_ORGANIZATION = '' as OrganizationId

const plain = (text: string): BatchStatement => ({ name: nameOf(text), text, values: [] })
const begin = plain('begin')
const commit = plain('commit')
const rollback = plain('rollback')

/** They answer no row: what matters is that they ran. What they set ends with the transaction. */
const enterOrganization = plain(`select where set_config('app.organization_id', $1, true) is null`)
// A search that is worth planning anew is worth a second core as well, if it is a large one.
const enterPlanningAnew = plain(`
  select where set_config('app.organization_id', $1, true) is null
    or set_config('plan_cache_mode', 'force_custom_plan', true) is null
    or set_config('parallel_setup_cost', '0', true) is null`)

// Only what sets it passes: refuse_while_held() of the migrations.
const enterAsMover = plain(`
  select where set_config('app.organization_id', $1, true) is null
    or set_config('app.is_mover', 'yes', true) is null`)

const isPlannedAnew = (queries: readonly Query<unknown>[]) =>
  queries.some(({ name }) => name === '')

/** A mover's searches are as slow as they are. */
function enter(
  { organizationId, isMover }: Visitor,
  queries: readonly Query<unknown>[],
): BatchStatement {
  if (isMover) return { ...enterAsMover, values: [organizationId] }
  const entering = isPlannedAnew(queries) ? enterPlanningAnew : enterOrganization
  return { ...entering, values: [organizationId] }
}

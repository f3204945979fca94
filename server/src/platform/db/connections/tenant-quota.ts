/**
 * Limits the dedicated connections of one organization: those for transactions, locks and searches. Without
 * the quota, a few transactions of one organization that wait for each other could use up the pool.
 */
import type pg from 'pg'
import type { OrganizationId } from '../../../kernel/ids.ts'
import { overloaded } from '../errors/overload.ts'
import { withClient } from './pooled-client.ts'

/**
 * Maximum number of waiting requests per organization. Further requests would time out before they get a connection.
 */
const WAITING_PER_ORGANIZATION_MAX = 200

type Work<Result> = (client: pg.PoolClient) => Promise<Result>
type Usage = { inUse: number; readonly waiting: (() => void)[] }

export type TenantConnections = { use<Result>(work: Work<Result>): Promise<Result> }

export class TenantQuota {
  readonly #pool: pg.Pool
  readonly #connectionsMax: number
  readonly #usages = new Map<OrganizationId, Usage>()

  constructor(pool: pg.Pool, connectionsMax: number) {
    this.#pool = pool
    this.#connectionsMax = connectionsMax
  }

  forOrganization(organizationId: OrganizationId): TenantConnections {
    return { use: (work) => this.#use(organizationId, work) }
  }

  async #use<Result>(organizationId: OrganizationId, work: Work<Result>): Promise<Result> {
    const usage = this.#usages.get(organizationId) ?? { inUse: 0, waiting: [] }
    this.#usages.set(organizationId, usage)
    if (usage.waiting.length >= WAITING_PER_ORGANIZATION_MAX) throw overloaded()
    if (usage.inUse >= this.#connectionsMax) {
      await new Promise<void>((resolve) => usage.waiting.push(resolve))
    } else {
      usage.inUse++
    }
    try {
      return await withClient(this.#pool, work)
    } finally {
      this.#release(organizationId, usage)
    }
  }

  /** Passes the connection slot to the next waiting request, or frees it. */
  #release(organizationId: OrganizationId, usage: Usage): void {
    const next = usage.waiting.shift()
    if (next) {
      next()
      return
    }
    usage.inUse--
    if (usage.inUse === 0) this.#usages.delete(organizationId)
  }
}

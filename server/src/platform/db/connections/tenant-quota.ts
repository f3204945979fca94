/**
 * Limits the dedicated connections: those for transactions, locks and searches. Each organization has a limit, so that
 * its transactions that wait for each other do not delay other organizations. All organizations together have a limit
 * too, which leaves connections for short queries. Organizations that wait get free connections in turn.
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
type Usage = { inUse: number; readonly waiting: Set<() => void> }

export type TenantConnections = { use<Result>(work: Work<Result>): Promise<Result> }

type QuotaLimits = {
  readonly perOrganization: number
  /** Dedicated connections of all organizations together. */
  readonly total: number
  /** How long a request waits for a connection before it is rejected. */
  readonly waitSeconds: number
}

export class TenantQuota {
  readonly #pool: pg.Pool
  readonly #limits: QuotaLimits
  /** In the order in which organizations get the next free connection. */
  readonly #usages = new Map<OrganizationId, Usage>()
  #inUse = 0

  constructor(pool: pg.Pool, limits: QuotaLimits) {
    this.#pool = pool
    this.#limits = limits
  }

  forOrganization(organizationId: OrganizationId): TenantConnections {
    return { use: (work) => this.#use(organizationId, work) }
  }

  async #use<Result>(organizationId: OrganizationId, work: Work<Result>): Promise<Result> {
    const usage = this.#usages.get(organizationId) ?? { inUse: 0, waiting: new Set() }
    this.#usages.set(organizationId, usage)
    if (this.#isFree(usage)) this.#take(usage)
    else await this.#wait(organizationId, usage)
    try {
      return await withClient(this.#pool, work)
    } finally {
      usage.inUse--
      this.#inUse--
      this.#forgetIdle(organizationId, usage)
      this.#passOn()
    }
  }

  #isFree({ inUse }: Usage): boolean {
    return this.#inUse < this.#limits.total && inUse < this.#limits.perOrganization
  }

  #take(usage: Usage): void {
    usage.inUse++
    this.#inUse++
  }

  /** Resolves when the request has a connection; rejects when it has waited too long. */
  #wait(organizationId: OrganizationId, usage: Usage): Promise<void> {
    if (usage.waiting.size >= WAITING_PER_ORGANIZATION_MAX) throw overloaded()
    return new Promise((resolve, reject) => {
      const start = () => {
        clearTimeout(timer)
        resolve()
      }
      const timer = setTimeout(() => {
        usage.waiting.delete(start)
        this.#forgetIdle(organizationId, usage)
        reject(overloaded())
      }, this.#limits.waitSeconds * 1000)
      usage.waiting.add(start)
    })
  }

  /** Passes free connections to waiting requests, one organization after the other. */
  #passOn(): void {
    for (const [organizationId, usage] of [...this.#usages]) {
      const [start] = usage.waiting
      if (!start || !this.#isFree(usage)) continue
      usage.waiting.delete(start)
      this.#take(usage)
      this.#usages.delete(organizationId)
      this.#usages.set(organizationId, usage)
      start()
    }
  }

  #forgetIdle(organizationId: OrganizationId, { inUse, waiting }: Usage): void {
    if (inUse === 0 && waiting.size === 0) this.#usages.delete(organizationId)
  }
}

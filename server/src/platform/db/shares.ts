/**
 * How many connections one organization may hold at a time for what takes long: transactions, locks and
 * searches. Without a share, sixteen moves that wait for each other in one organization would leave no
 * connection for anybody else.
 */
import type pg from 'pg'
import type { OrganizationId } from '../../kernel/ids.ts'
import { tooMuchWork } from './overload.ts'
import { withClient } from './pooled-client.ts'

/** Of one organization; more would be answered too late to matter. */
const WAITING_MAX = 200

type Work<Result> = (client: pg.PoolClient) => Promise<Result>
type Usage = { held: number; readonly waiting: (() => void)[] }

export type Share = { use<Result>(work: Work<Result>): Promise<Result> }

export class Shares {
  readonly #pool: pg.Pool
  readonly #connectionsMax: number
  readonly #usages = new Map<OrganizationId, Usage>()

  constructor(pool: pg.Pool, connectionsMax: number) {
    this.#pool = pool
    this.#connectionsMax = connectionsMax
  }

  of(organizationId: OrganizationId): Share {
    return { use: (work) => this.#use(organizationId, work) }
  }

  async #use<Result>(organizationId: OrganizationId, work: Work<Result>): Promise<Result> {
    const usage = this.#usages.get(organizationId) ?? { held: 0, waiting: [] }
    this.#usages.set(organizationId, usage)
    if (usage.waiting.length >= WAITING_MAX) throw tooMuchWork()
    if (usage.held >= this.#connectionsMax) {
      await new Promise<void>((resolve) => usage.waiting.push(resolve))
    } else {
      usage.held++
    }
    try {
      return await withClient(this.#pool, work)
    } finally {
      this.#giveBack(organizationId, usage)
    }
  }

  /** To the next in line, or to nobody. */
  #giveBack(organizationId: OrganizationId, usage: Usage): void {
    const next = usage.waiting.shift()
    if (next) {
      next()
      return
    }
    usage.held--
    if (usage.held === 0) this.#usages.delete(organizationId)
  }
}

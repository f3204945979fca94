/**
 * Runs short queries on a few shared connections.
 *
 * Under light load each query has a connection to itself. When all connections are busy, queries queue, and
 * the next free connection takes several at once: one write, one read, and still one transaction per query
 * that fails or succeeds alone. Under load this saves system calls and wake-ups per query.
 */
import type pg from 'pg'
import { overloaded } from '../errors/overload.ts'
import { arePrepared, type BatchStatement, type Rows } from './batch.ts'
import { isBroken, runBatch, withClient } from './pooled-client.ts'

/** Maximum number of queries that a connection takes at once. Low, because each waits for the slower ones before it. */
const QUERIES_PER_WRITE_MAX = 8

/** Maximum length of the queue. Beyond it the database is overloaded, and a further query would time out anyway. */
const QUERIES_WAITING_MAX = 1000

type QueuedQuery = {
  readonly statements: readonly BatchStatement[]
  readonly resolve: (rows: Rows) => void
  readonly reject: (error: unknown) => void
  /** When the query has waited too long, by `performance.now()`. */
  readonly expiresAt: number
}

type MultiplexerLimits = {
  readonly connectionsMax: number
  /** How long a query waits for a connection before it is rejected. */
  readonly waitSeconds: number
}

export class Multiplexer {
  readonly #pool: pg.Pool
  readonly #connectionsMax: number
  readonly #waitMilliseconds: number
  readonly #queue: QueuedQuery[] = []
  #connectionsInUse = 0
  /** One timer for the queue, not one for each query, of which there are thousands per second. */
  #expiry: NodeJS.Timeout | undefined

  constructor(pool: pg.Pool, { connectionsMax, waitSeconds }: MultiplexerLimits) {
    this.#pool = pool
    this.#connectionsMax = connectionsMax
    this.#waitMilliseconds = waitSeconds * 1000
  }

  get queueLength(): number {
    return this.#queue.length
  }

  run(statements: readonly BatchStatement[]): Promise<Rows> {
    if (this.#queue.length >= QUERIES_WAITING_MAX) return Promise.reject(overloaded())
    return new Promise((resolve, reject) => {
      const expiresAt = performance.now() + this.#waitMilliseconds
      this.#queue.push({ statements, resolve, reject, expiresAt })
      if (this.#connectionsInUse < this.#connectionsMax) void this.#drainQueue()
      else this.#expiry ??= this.#expireLater(this.#waitMilliseconds)
    })
  }

  #expireLater(milliseconds: number): NodeJS.Timeout {
    return setTimeout(() => {
      this.#expiry = undefined
      const now = performance.now()
      while (this.#queue[0] && this.#queue[0].expiresAt <= now) this.#queue.shift()?.reject(overloaded())
      const [next] = this.#queue
      if (next) this.#expiry = this.#expireLater(next.expiresAt - now)
    }, milliseconds)
  }

  /**
   * Takes the queries at the head of the queue that are already prepared on the connection, so that none
   * depends on the outcome of another; or else only the first query.
   */
  #nextGroup(client: pg.PoolClient): QueuedQuery[] {
    const { connection } = client as unknown as PgInternals
    const front = this.#queue.slice(0, QUERIES_PER_WRITE_MAX)
    const unprepared = front.findIndex(({ statements }) => !arePrepared(connection, statements))
    return this.#queue.splice(0, Math.max(1, unprepared < 0 ? front.length : unprepared))
  }

  /** Drains the queue on one connection. Never throws; errors reject the waiting callers. */
  async #drainQueue(): Promise<void> {
    this.#connectionsInUse++
    try {
      await withClient(this.#pool, async (client) => {
        while (this.#queue.length > 0 && !isBroken(client)) {
          await sendGroup(client, this.#nextGroup(client))
        }
      })
      this.#connectionsInUse--
      if (this.#queue.length > 0 && this.#connectionsInUse < this.#connectionsMax) void this.#drainQueue()
    } catch (error) {
      this.#connectionsInUse--
      // No connection could be opened and none is in use: the queued queries would wait forever.
      if (this.#connectionsInUse === 0) for (const { reject } of this.#queue.splice(0)) reject(error)
    }
  }
}

/** Resolves when every query of the group has settled. */
async function sendGroup(client: pg.PoolClient, group: readonly QueuedQuery[]): Promise<void> {
  const { stream } = (client as unknown as PgInternals).connection
  stream.cork()
  const results = group.map(({ statements, resolve, reject }) => runBatch(client, statements).then(resolve, reject))
  stream.uncork()
  await Promise.all(results)
}

/** Members of `pg`'s client that its published types leave out. */
type PgInternals = { connection: pg.Connection & { stream: { cork(): void; uncork(): void } } }

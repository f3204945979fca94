/**
 * How short queries share connections.
 *
 * With few requests under way each query has a connection to itself. When all lanes are taken, queries
 * wait, and the lane that becomes free takes several at once: they go out in one write and come back in one
 * read, each still a transaction of its own that fails or succeeds alone. A busy service so spends fewer
 * system calls and wake-ups a query, just when they are dear.
 */
import type pg from 'pg'
import { arePrepared, type BatchStatement, type Rows } from './batch.ts'
import { tooMuchWork } from './overload.ts'
import { isBroken, runBatch, withClient } from './pooled-client.ts'

/** Those behind a slow query in the same lane wait for it, so not many go together. */
const QUERIES_PER_WRITE_MAX = 8

/** Beyond this the database is drowned, and another query would only be answered too late. */
const QUERIES_WAITING_MAX = 1000

type Waiting = {
  readonly statements: readonly BatchStatement[]
  readonly resolve: (rows: Rows) => void
  readonly reject: (error: unknown) => void
}

export class Lanes {
  readonly #pool: pg.Pool
  readonly #lanesMax: number
  readonly #waiting: Waiting[] = []
  #lanes = 0

  constructor(pool: pg.Pool, lanesMax: number) {
    this.#pool = pool
    this.#lanesMax = lanesMax
  }

  get waiting(): number {
    return this.#waiting.length
  }

  run(statements: readonly BatchStatement[]): Promise<Rows> {
    if (this.#waiting.length >= QUERIES_WAITING_MAX) return Promise.reject(tooMuchWork())
    return new Promise((resolve, reject) => {
      this.#waiting.push({ statements, resolve, reject })
      if (this.#lanes < this.#lanesMax) void this.#openLane()
    })
  }

  /**
   * Those in front that the connection knows already, so that none depends on what happens to another; or
   * else the first one, by itself.
   */
  #take(client: pg.PoolClient): Waiting[] {
    const { connection } = client as unknown as Internals
    const front = this.#waiting.slice(0, QUERIES_PER_WRITE_MAX)
    const unknown = front.findIndex(({ statements }) => !arePrepared(connection, statements))
    return this.#waiting.splice(0, Math.max(1, unknown < 0 ? front.length : unknown))
  }

  /** Serves until nobody waits any more. Never throws: whoever waits is told. */
  async #openLane(): Promise<void> {
    this.#lanes++
    try {
      await withClient(this.#pool, async (client) => {
        while (this.#waiting.length > 0 && !isBroken(client)) {
          await sendTogether(client, this.#take(client))
        }
      })
      this.#lanes--
      if (this.#waiting.length > 0 && this.#lanes < this.#lanesMax) void this.#openLane()
    } catch (error) {
      this.#lanes--
      // With no other lane open there is no connection to be had, and who waits would wait for nothing.
      if (this.#lanes === 0) for (const { reject } of this.#waiting.splice(0)) reject(error)
    }
  }
}

/** Resolves when each of them has been answered. */
async function sendTogether(client: pg.PoolClient, group: readonly Waiting[]): Promise<void> {
  const { stream } = (client as unknown as Internals).connection
  stream.cork()
  const answers = group.map(({ statements, resolve, reject }) =>
    runBatch(client, statements).then(resolve, reject),
  )
  stream.uncork()
  await Promise.all(answers)
}

/** What of `pg`'s client its published types leave out. */
type Internals = { connection: pg.Connection & { stream: { cork(): void; uncork(): void } } }

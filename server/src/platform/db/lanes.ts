/**
 * How short queries share connections.
 *
 * With few requests under way each query has a connection to itself. When all lanes are taken, queries
 * wait, and the lane that becomes free takes several at once: they go out in one write and come back in one
 * read, each still a transaction of its own that fails or succeeds alone. A busy service so spends fewer
 * system calls and wake-ups a query, just when they are dear.
 */
import pg from 'pg'
import { arePrepared, Batch, type BatchStatement, type Rows } from './batch.ts'

/** Those behind a slow query in the same lane wait for it, so not many go together. */
const QUERIES_PER_WRITE_MAX = 8

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
    const unknown = this.#waiting.findIndex(
      ({ statements }) => !arePrepared(connection, statements),
    )
    const known = unknown < 0 ? this.#waiting.length : unknown
    return this.#waiting.splice(0, Math.max(1, Math.min(known, QUERIES_PER_WRITE_MAX)))
  }

  /** Serves until nobody waits any more. Never throws: whoever waits is told. */
  async #openLane(): Promise<void> {
    this.#lanes++
    try {
      await withClient(this.#pool, async (client) => {
        while (this.#waiting.length > 0 && !broken.has(client)) {
          await sendTogether(client, this.#take(client))
        }
      })
    } catch (error) {
      // There is no connection to be had; who waits for one would only wait for the same answer.
      for (const { reject } of this.#waiting.splice(0)) reject(error)
    }
    this.#lanes--
    if (this.#waiting.length > 0 && this.#lanes < this.#lanesMax) void this.#openLane()
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

/** Connections that broke in the middle of an exchange; the pool must not hand them out again. */
const broken = new WeakSet<pg.PoolClient>()

export function markBroken(client: pg.PoolClient): void {
  broken.add(client)
}

export async function withClient<Result>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect()
  try {
    return await work(client)
  } finally {
    client.release(broken.has(client))
  }
}

export function runBatch(
  client: pg.PoolClient,
  statements: readonly BatchStatement[],
): Promise<Rows> {
  return new Promise((resolve, reject) => {
    const batch = new Batch(statements, (error, rows) => {
      if (!error) return resolve(rows ?? [])
      // Postgres refusing a statement leaves the connection whole; silence or a reset does not.
      if (!(error instanceof pg.DatabaseError)) broken.add(client)
      reject(error)
    })
    client.query(batch)
  })
}

import pg from 'pg'
import { stackEnv } from './processes/stack.ts'
import { CONNECT_MILLISECONDS_MAX } from './settings.ts'

/**
 * A connection that bypasses row-level security: to inspect stored rows, age them, or hold a lock that a request waits
 * for.
 */
export class Superuser implements AsyncDisposable {
  readonly #client: pg.Client
  /** The last query. The next one starts after it, because a connection runs one at a time. */
  #last: Promise<unknown> = Promise.resolve()

  private constructor(client: pg.Client) {
    this.#client = client
  }

  static async open({ DATABASE_SUPERUSER_URL: url } = stackEnv()): Promise<Superuser> {
    const client = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: CONNECT_MILLISECONDS_MAX,
    })
    // Running queries also report a lost connection. Without this handler, a test that restarts Postgres would crash.
    client.on('error', () => {})
    await client.connect()
    return new Superuser(client)
  }

  async query<Row extends object = Record<string, unknown>>(
    text: string,
    values: readonly unknown[] = [],
  ): Promise<Row[]> {
    const result = this.#last.then(() => this.#client.query<Row>(text, [...values]))
    this.#last = result.catch(() => {})
    return (await result).rows
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.end()
  }
}

import pg from 'pg'
import { stackEnv } from './stack.ts'

/**
 * Someone whom row-level security does not bind: to look at what is really stored, to make rows old, and
 * to hold a lock that a request then waits for.
 */
export class Superuser implements AsyncDisposable {
  readonly #client: pg.Client

  private constructor(client: pg.Client) {
    this.#client = client
  }

  static async open({ DATABASE_SUPERUSER_URL: url } = stackEnv()): Promise<Superuser> {
    const client = new pg.Client({ connectionString: url })
    // A query that is under way tells it as well; without one, a test that restarts Postgres would end here.
    client.on('error', () => {})
    await client.connect()
    return new Superuser(client)
  }

  async query<Row extends object = Record<string, unknown>>(
    text: string,
    values: readonly unknown[] = [],
  ): Promise<Row[]> {
    const { rows } = await this.#client.query<Row>(text, [...values])
    return rows
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.end()
  }
}

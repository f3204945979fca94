import pg from 'pg'
import type { OrganizationId } from '../../kernel/ids.ts'
import { lockSeeds } from '../../platform/db/advisory-locks.ts'
import { MoveRefused } from './move-refused.ts'

/** Interval of the queries that check the lock's connections: an idle connection may be dropped silently. */
const HEARTBEAT_SECONDS = 30
const RESPONSE_SECONDS_MAX = 10

/**
 * Prevents other migrations of the organization from or to these databases. The lock ends with its connections, so a
 * killed process leaves no lock.
 */
export class MoveLock implements AsyncDisposable {
  readonly #clients: pg.Client[] = []
  readonly #loss = new AbortController()
  readonly #heartbeat: NodeJS.Timeout

  private constructor() {
    const beat = () => {
      this.assertHeld().catch(() => undefined)
    }
    this.#heartbeat = setInterval(beat, HEARTBEAT_SECONDS * 1000)
    this.#heartbeat.unref()
  }

  /** Locks the organization in all given databases. Returns undefined if another process holds one of the locks. */
  static async acquire(databaseUrls: readonly string[], id: OrganizationId): Promise<MoveLock | undefined> {
    const lock = new MoveLock()
    try {
      for (const url of databaseUrls) {
        if (await lock.#add(url, id)) continue
        await lock[Symbol.asyncDispose]()
        return undefined
      }
      return lock
    } catch (error) {
      await lock[Symbol.asyncDispose]()
      throw error
    }
  }

  async #add(databaseUrl: string, id: OrganizationId): Promise<boolean> {
    const client = new pg.Client({
      connectionString: databaseUrl,
      application_name: 'reelkeep migrator',
      keepAlive: true,
      query_timeout: RESPONSE_SECONDS_MAX * 1000,
    })
    client.on('error', (error) => this.#loss.abort(error))
    await client.connect()
    this.#clients.push(client)
    const { rows } = await client.query<{ isHeld: boolean }>(
      `select pg_try_advisory_lock(hashtextextended('reelkeep move ' || $1, ${lockSeeds.move}))
         as "isHeld"`,
      [id],
    )
    return rows[0]?.isHeld === true
  }

  /** Aborts when a connection of the lock breaks, because another process may then start a migration. */
  get lost(): AbortSignal {
    return this.#loss.signal
  }

  /**
   * Checks the lock over its own connections, so that a broken connection is detected at once. Call it before every
   * irreversible step.
   */
  async assertHeld(): Promise<void> {
    try {
      this.#loss.signal.throwIfAborted()
      await Promise.all(this.#clients.map((client) => client.query('select')))
    } catch (error) {
      this.#loss.abort(error)
      throw new MoveRefused(
        'A connection to Postgres broke, so another process may be moving the organization by now. ' +
          'Run the command again.',
      )
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#heartbeat)
    await Promise.all(this.#clients.map((client) => client.end().catch(() => undefined)))
  }
}

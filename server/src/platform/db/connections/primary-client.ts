/**
 * A connection to the server that accepts writes.
 *
 * Postgres reports `in_hot_standby` and `default_transaction_read_only` when a session starts and whenever they change,
 * so no query is needed to find out that the server is a standby or was made read-only. `pg` supports neither these
 * reports nor `target_session_attrs`.
 */
import pg from 'pg'
import type { DatabaseServer } from '../../../kernel/database-url.ts'
import { READ_ONLY, ServerLost } from '../errors/availability.ts'

/** Chooses the server of a connection. */
export interface PrimaryLocator {
  /** URL of any of the servers; they differ only in host and port. */
  readonly url: string
  locate(): Promise<DatabaseServer>
  /** Called when a connection was opened. */
  add(client: PrimaryClient): void
  /** Called when the server of a connection could not be reached, or ended it. */
  forget(): void
  /** Called when the server no longer accepts writes. */
  leave(): void
}

/** Parameters that a server without writes reports as `on`. */
const readOnlyParameters = ['in_hot_standby', 'default_transaction_read_only']

export class PrimaryClient extends pg.Client {
  readonly #locator: PrimaryLocator | undefined
  readonly #readOnly = new Set<string>()
  #isOpen = false

  /** Without a locator, connects to the server of the URL. */
  constructor(config: pg.ClientConfig, locator?: PrimaryLocator) {
    super({ ...config, ...(locator && { connectionString: locator.url }) })
    this.#locator = locator
    // Also prevents that an error right after the connect, before the pool listens, ends the process.
    this.on('error', () => this.#locator?.forget())
    const { connection } = this.#internals
    connection.on('parameterStatus', (report) => this.#noteParameter(report))
    connection.on('errorMessage', (error) => this.#noteError(error))
    connection.on('notice', ({ routine }) => this.#noteWarning(routine))
  }

  override connect(): Promise<pg.Client>
  override connect(callback: ConnectCallback): void
  override connect(callback?: ConnectCallback): Promise<pg.Client> | undefined {
    const connecting = this.#connect()
    if (!callback) return connecting
    connecting.then(() => (callback as () => void)(), callback as (error: Error) => void)
    return undefined
  }

  /** Ends the connection at once; running queries fail as if the network had failed. */
  abandon(reason: string): void {
    const { connection } = this.#internals
    // The parser also emits the other messages that arrived with this one. A query succeeds only by `readyForQuery`.
    connection.removeAllListeners('readyForQuery')
    connection.stream.destroy(new ServerLost(reason))
  }

  async #connect(): Promise<pg.Client> {
    const server = await this.#locator?.locate()
    const { connection } = this.#internals
    if (connection.stream.destroyed) throw new ServerLost('no server that accepts writes was found in time')
    if (server) Object.assign(this, { host: server.host, port: server.port })
    try {
      await super.connect()
      if (this.#readOnly.size > 0) throw new ServerLost('the server is read-only')
    } catch (error) {
      this.#locator?.forget()
      connection.stream.destroy()
      throw error
    }
    this.#isOpen = true
    this.#locator?.add(this)
    return this
  }

  #noteParameter({ parameterName, parameterValue }: ParameterStatus): void {
    if (!readOnlyParameters.includes(parameterName)) return
    if (parameterValue === 'on') this.#readOnly.add(parameterName)
    else this.#readOnly.delete(parameterName)
    if (this.#isOpen && this.#readOnly.size > 0) this.#leave()
  }

  #noteError(error: pg.DatabaseError): void {
    if (error.code !== READ_ONLY) return
    // The job engine retries this cause, but not a server that refuses writes.
    error.cause = new ServerLost('the server is read-only')
    this.#leave()
  }

  /**
   * A statement timeout ends the wait for a synchronous standby, and Postgres then reports a successful commit that a
   * failover would lose. Breaking the connection makes the result unknown, as it is.
   */
  #noteWarning(routine: string | undefined): void {
    if (routine === 'SyncRepWaitForLSN') this.abandon('the commit was not replicated')
  }

  #leave(): void {
    if (this.#locator) this.#locator.leave()
    else this.abandon('the server is read-only')
  }

  get #internals(): PgInternals {
    return this as unknown as PgInternals
  }
}

type ConnectCallback = ((error: Error) => void) | ((error: null, client: pg.Client) => void)

type ParameterStatus = { readonly parameterName: string; readonly parameterValue: string }

/** Members of `pg`'s client that its published types leave out. */
type PgInternals = {
  readonly connection: {
    readonly stream: { readonly destroyed: boolean; destroy(error?: Error): void }
    on(event: 'parameterStatus', listener: (message: ParameterStatus) => void): void
    on(event: 'errorMessage', listener: (message: pg.DatabaseError) => void): void
    on(event: 'notice', listener: (message: { routine?: string }) => void): void
    removeAllListeners(event: 'readyForQuery'): void
  }
}

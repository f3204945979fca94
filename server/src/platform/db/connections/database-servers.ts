/**
 * Finds the server that accepts writes among the servers of a database URL, and finds it again after a failover.
 *
 * New connections go to the server that was found last. It is searched again when a connection fails, when it refuses
 * a write, and when it stops responding while another server accepts writes.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type DatabaseServer, serversOf } from '../../../kernel/database-url.ts'
import { ServerLost } from '../errors/availability.ts'
import { PrimaryClient, type PrimaryLocator } from './primary-client.ts'

/** Maximum time for a server to accept a connection. Bounds, with the interval, the time until a failover is found. */
const RESPONSE_SECONDS_MAX = 3

/** Interval at which the server in use is checked if there are others. */
const CHECK_SECONDS = 2

export class DatabaseServers implements PrimaryLocator {
  readonly #servers: readonly [DatabaseServer, ...DatabaseServer[]]
  readonly #clients = new Set<PrimaryClient>()
  #primary: DatabaseServer | undefined
  #search: Promise<DatabaseServer> | undefined
  #isWatched = false

  constructor(databaseUrl: string) {
    const [first, ...others] = serversOf(databaseUrl)
    if (!first) throw new Error('the database URL has no server')
    this.#servers = [first, ...others]
  }

  get url(): string {
    return this.#servers[0].url
  }

  /** Concurrent callers share one search. With one server there is nothing to search. */
  async locate(): Promise<DatabaseServer> {
    if (this.#servers.length === 1) return this.#servers[0]
    if (this.#primary) return this.#primary
    this.#search ??= searchPrimary(this.#servers).finally(() => {
      this.#search = undefined
    })
    this.#primary = await this.#search
    return this.#primary
  }

  add(client: PrimaryClient): void {
    this.#clients.add(client)
    client.once('end', () => this.#clients.delete(client))
    if (this.#servers.length > 1 && !this.#isWatched) void this.#watch()
  }

  forget(): void {
    this.#primary = undefined
  }

  leave(): void {
    this.#abandonAll('the server is read-only')
  }

  /** Connections to a server that stops responding would otherwise fail only when their statements time out. */
  async #watch(): Promise<void> {
    this.#isWatched = true
    while (this.#clients.size > 0) {
      await sleep(CHECK_SECONDS * 1000, undefined, { ref: false })
      await this.#check().catch(() => {})
    }
    this.#isWatched = false
  }

  /** Keeps the connections if no server accepts writes: the one in use may only be slow. */
  async #check(): Promise<void> {
    const before = this.#primary
    if (!before || (await acceptsWrites(before))) return
    this.forget()
    if ((await this.locate()) !== before) this.#abandonAll('the server does not respond')
  }

  #abandonAll(reason: string): void {
    this.forget()
    for (const client of [...this.#clients]) client.abandon(reason)
  }
}

async function searchPrimary(servers: readonly DatabaseServer[]): Promise<DatabaseServer> {
  try {
    return await Promise.any(servers.map(assertAcceptsWrites))
  } catch (error) {
    const { errors } = error as AggregateError
    throw errors.find((each) => each instanceof ServerLost) ?? errors[0]
  }
}

const acceptsWrites = (server: DatabaseServer) =>
  assertAcceptsWrites(server).then(
    () => true,
    () => false,
  )

async function assertAcceptsWrites(server: DatabaseServer): Promise<DatabaseServer> {
  const client = new PrimaryClient({
    connectionString: server.url,
    application_name: 'reelkeep server check',
    connectionTimeoutMillis: RESPONSE_SECONDS_MAX * 1000,
  })
  client.on('error', () => {})
  await client.connect()
  client.end().catch(() => {})
  return server
}

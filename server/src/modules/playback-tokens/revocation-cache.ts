/**
 * Caches the data that decide whether an organization's playback tokens are valid: its signing keys, its revocations,
 * whether it is open, and whether it was migrated away or deleted. Viewers request thousands of media files per second;
 * the database is queried once every few seconds per organization. Other instances see a change after that time, the
 * instance that makes it sees it at once. While the database is unavailable, the last rows are used.
 */
import type { KeyObject } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { OrganizationId } from '../../kernel/ids.ts'
import type { Database } from '../../platform/db/database.ts'
import type { LastKnown } from '../../platform/db/last-known/last-known.ts'
import type { Absence } from '../../platform/db/suspension.ts'
import { keyOf } from '../signing-keys/signing-keys.ts'
import { type EndedCreator, findTokenPolicy, type TokenPolicyRows } from './playback-tokens.store.ts'

/**
 * Cache lifetime. With the up to two seconds that an edge caches a response, and the time of both requests, a
 * change takes effect within the five seconds that we promise.
 */
const CACHE_SECONDS = 1.5

/**
 * Maximum number of cached organizations, more than one instance serves concurrently. The least recently used one is
 * evicted.
 */
const ORGANIZATIONS_MAX = 1000
/** Maximum number of cached keys and revoked tokens of all organizations: about 100 MB. */
const ENTRIES_MAX = 1_000_000
/**
 * Maximum number of cached unknown organization ids. Clients can invent them, so they have a small cache of their own
 * and evict nothing else.
 */
const UNKNOWN_MAX = 1000

/** The data that decide whether playback tokens of an organization are valid. */
export type TokenPolicy = {
  /** Why the organization is not served here; null if it is, or if it does not exist. */
  readonly absence: Absence | null
  readonly isOpen: boolean
  readonly keys: ReadonlyMap<string, KeyObject>
  /** Ids (`jti`) of revoked tokens. */
  readonly revoked: ReadonlySet<string>
  /** API tokens that were revoked or retired recently, by id. */
  readonly endedCreators: ReadonlyMap<string, EndedCreator>
  /** Playback epoch of the organization. */
  readonly epoch: number
}

/** Reads the token policy of an organization; undefined if it does not exist. */
export type LoadPolicy = (organizationId: OrganizationId) => Promise<TokenPolicyRows | undefined>

export class RevocationCache {
  readonly #load: LoadPolicy
  readonly #evictRows: (organizationId: OrganizationId) => void
  readonly #policies = new LRUCache<OrganizationId, TokenPolicy>({
    max: ORGANIZATIONS_MAX,
    maxSize: ENTRIES_MAX,
    sizeCalculation: ({ keys, revoked, endedCreators }) => 1 + keys.size + revoked.size + endedCreators.size,
    ttl: CACHE_SECONDS * 1000,
  })
  readonly #unknown = new LRUCache<OrganizationId, true>({
    max: UNKNOWN_MAX,
    ttl: CACHE_SECONDS * 1000,
  })
  readonly #pending = new Map<OrganizationId, Promise<TokenPolicy>>()

  constructor(load: LoadPolicy, evictRows: (organizationId: OrganizationId) => void = () => {}) {
    this.#load = load
    this.#evictRows = evictRows
  }

  static over(database: Database, lastKnown: LastKnown): RevocationCache {
    const load = (organizationId: OrganizationId) => findTokenPolicy(database.forOrganization(organizationId))
    return new RevocationCache(
      async (organizationId) =>
        (await lastKnown.read(organizationId, 'token-policy', () => load(organizationId))).value,
      (organizationId) => lastKnown.evict(organizationId),
    )
  }

  /** Returns the cached entry, if there is one. */
  findCached(organizationId: OrganizationId): TokenPolicy | undefined {
    return this.#unknown.get(organizationId) ? noPolicy : this.#policies.get(organizationId)
  }

  /** Concurrent callers share one query. */
  find(organizationId: OrganizationId): Promise<TokenPolicy> {
    const pending = this.#pending.get(organizationId)
    if (pending) return pending
    const query = this.#query(organizationId)
    this.#pending.set(organizationId, query)
    const finish = (policy?: TokenPolicy) => {
      // The entry was invalidated during the query, so the result may be outdated.
      if (this.#pending.get(organizationId) !== query) return
      this.#pending.delete(organizationId)
      if (policy === noPolicy) this.#unknown.set(organizationId, true)
      else if (policy) this.#policies.set(organizationId, policy)
    }
    query.then(finish, () => finish())
    return query
  }

  /** Invalidates the entry of this organization. */
  evict(organizationId: OrganizationId): void {
    this.#evictRows(organizationId)
    this.#policies.delete(organizationId)
    this.#unknown.delete(organizationId)
    this.#pending.delete(organizationId)
  }

  async #query(organizationId: OrganizationId): Promise<TokenPolicy> {
    const rows = await this.#load(organizationId)
    if (!rows) return noPolicy
    return {
      absence: rows.absence,
      isOpen: rows.isOpen,
      keys: new Map(rows.keys.map((key) => [key.id, keyOf(key)])),
      revoked: new Set(rows.revoked),
      endedCreators: new Map(rows.endedCreators.map((creator) => [creator.id, creator])),
      epoch: rows.epoch,
    }
  }
}

const noPolicy: TokenPolicy = {
  absence: null,
  isOpen: false,
  keys: new Map(),
  revoked: new Set(),
  endedCreators: new Map(),
  epoch: 0,
}

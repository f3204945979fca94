/**
 * Finds the principals of credentials and caches them for a short time.
 *
 * A busy client sends hundreds of requests per second with one token; a query for each would double the database's
 * work. A credential that is revoked on another instance therefore works here until its cache entry ends; on the
 * instance that revokes it, it ends at once. The same delay applies to an organization that was migrated away or
 * deleted.
 */
import type { OrganizationId } from '../../../kernel/ids.ts'
import type { Principal } from './principal.ts'

/** Maximum number of cached credentials. Beyond it, the oldest entry is evicted. */
const CACHED_MAX = 10_000
/** Precision of `last_used_at`; a write per request would cost more than the request. */
const USE_RECORDED_EVERY_SECONDS = 60

/** A principal from the database, and the time until its credential expires. */
export type FoundPrincipal = { readonly principal: Principal; readonly secondsLeft: number | null }

/** Where the principals of one kind of credential come from. */
export type PrincipalSource<Credential> = {
  readonly cacheSeconds: number
  /** Identifies the credential in the cache. */
  readonly keyOf: (credential: Credential) => string
  /** Returns undefined unless the credential is valid and this cell hosts its organization. */
  readonly lookUp: (credential: Credential) => Promise<FoundPrincipal | undefined>
  /** Checks in the database whether a principal is still valid. */
  readonly isLive: (principal: Principal) => Promise<boolean>
  /** Records that a principal was used now. Errors are logged. */
  readonly recordUse: (principal: Principal) => Promise<void>
  /** Identifies what `recordUse` updates; undefined if uses are not recorded. */
  readonly usedKeyOf: (principal: Principal) => string | undefined
}

type CachedPrincipal = { readonly principal: Principal; readonly untilMs: number }

export class PrincipalCache<Credential> {
  readonly #source: PrincipalSource<Credential>
  readonly #cache = new Map<string, CachedPrincipal>()
  readonly #lastRecordedMs = new Map<string, number>()
  /** Number of invalidations. The result of a lookup that began before an invalidation is not cached. */
  #generation = 0

  constructor(source: PrincipalSource<Credential>) {
    this.#source = source
  }

  /** The principal of a credential that was verified a short time ago. */
  fromCache(credential: Credential): Principal | undefined {
    const cached = this.#cache.get(this.#source.keyOf(credential))
    if (!cached || performance.now() >= cached.untilMs) return undefined
    this.#recordUse(cached.principal)
    return cached.principal
  }

  /** Whether the credential was valid at its last lookup, possibly longer ago than entries are cached. */
  isCached(credential: Credential): boolean {
    return this.#cache.has(this.#source.keyOf(credential))
  }

  /** Looks the credential up. Undefined unless it is valid. */
  async find(credential: Credential): Promise<Principal | undefined> {
    const generation = this.#generation
    const key = this.#source.keyOf(credential)
    const found = await this.#source.lookUp(credential)
    this.#cache.delete(key)
    if (!found) return undefined
    if (generation === this.#generation) this.#store(key, found)
    this.#recordUse(found.principal)
    return found.principal
  }

  /** Checks in the database whether the principal is still valid, and records its use. */
  async isLive(principal: Principal): Promise<boolean> {
    if (!(await this.#source.isLive(principal))) return false
    this.#recordUse(principal)
    return true
  }

  /** Drops the cached principals of an organization. */
  invalidate(organizationId: OrganizationId): void {
    this.#generation++
    for (const [key, { principal }] of this.#cache) {
      if (principal.organizationId === organizationId) this.#cache.delete(key)
    }
  }

  /** Caches the principal until its credential expires at the latest. */
  #store(key: string, { principal, secondsLeft }: FoundPrincipal): void {
    const { cacheSeconds } = this.#source
    const seconds = Math.min(cacheSeconds, secondsLeft ?? cacheSeconds)
    this.#cache.set(key, { principal, untilMs: performance.now() + seconds * 1000 })
    if (this.#cache.size <= CACHED_MAX) return
    const [oldest] = this.#cache.keys()
    if (oldest !== undefined) this.#cache.delete(oldest)
  }

  #recordUse(principal: Principal): void {
    const key = this.#source.usedKeyOf(principal)
    if (key === undefined) return
    const nowMs = performance.now()
    const lastMs = this.#lastRecordedMs.get(key)
    if (lastMs !== undefined && nowMs - lastMs < USE_RECORDED_EVERY_SECONDS * 1000) return
    if (this.#lastRecordedMs.size >= CACHED_MAX) this.#lastRecordedMs.clear()
    this.#lastRecordedMs.set(key, nowMs)
    void this.#source.recordUse(principal)
  }
}

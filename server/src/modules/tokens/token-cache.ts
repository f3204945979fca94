/**
 * Verifies API tokens and caches valid ones for two seconds.
 *
 * A busy client sends hundreds of requests per second with one token; a query for each would double the database's
 * work. A token revoked on another instance therefore works here for up to two more seconds; on the instance that
 * revokes it, it ends at once. The same delay applies to an organization that was migrated away or deleted.
 */
import { refused } from '../../kernel/errors.ts'
import type { OrganizationId, TokenId } from '../../kernel/ids.ts'
import type { Database, OrganizationDb } from '../../platform/db/database.ts'
import { isSuspended, organizationBeingMoved } from '../../platform/db/suspension.ts'
import type { Principal } from '../../platform/http/access/principal.ts'
import { hashOfToken, isUploadToken, organizationInToken } from './token-text.ts'
import { UPLOAD_TOKEN_SCOPES } from './tokens.rules.ts'
import { findLiveToken, isLiveToken, markUsed } from './tokens.store.ts'
import { findLiveUploadToken } from './upload-token.store.ts'

const CACHE_SECONDS = 2
/** Maximum number of cached tokens. Beyond it, the oldest entry is evicted. */
const CACHED_TOKENS_MAX = 10_000
/** Precision of `last_used_at`; a write per request would cost more than the request. */
const USE_RECORDED_EVERY_SECONDS = 60

type CachedPrincipal = { readonly principal: Principal; readonly untilMs: number }

export class TokenCache {
  readonly #database: Database
  readonly #onError: (error: unknown) => void
  readonly #cache = new Map<string, CachedPrincipal>()
  readonly #lastRecordedMs = new Map<TokenId, number>()
  /** Number of invalidations. The result of a lookup that began before an invalidation is not cached. */
  #generation = 0

  constructor(database: Database, onError: (error: unknown) => void) {
    this.#database = database
    this.#onError = onError
  }

  /** The principal of a token that was verified within the last two seconds. */
  fromCache(text: string): Principal | undefined {
    const cached = this.#cache.get(text)
    if (!cached || performance.now() >= cached.untilMs) return undefined
    this.#recordUse(cached.principal)
    return cached.principal
  }

  /** Whether the token was valid at its last lookup, possibly more than two seconds ago. */
  isCached(text: string): boolean {
    return this.#cache.has(text)
  }

  /** Throws unless the token is valid and this cell hosts its organization. */
  async find(text: string | undefined): Promise<Principal> {
    const principal = text === undefined ? undefined : await this.#lookUp(text)
    if (!principal) {
      throw refused(
        'unauthenticated',
        'The token is missing, malformed, unknown, revoked or expired. Send "Authorization: token <API_TOKEN>".',
      )
    }
    this.#recordUse(principal)
    return principal
  }

  /** Checks in the database whether the token is still valid, and records its use. */
  async isLive(principal: Principal): Promise<boolean> {
    const { organizationId, tokenId } = principal
    if (!(await isLiveToken(this.#database.forOrganization(organizationId), tokenId))) return false
    this.#recordUse(principal)
    return true
  }

  /** Drops the cached tokens of an organization. */
  invalidate(organizationId: OrganizationId): void {
    this.#generation++
    for (const text of this.#cache.keys()) {
      if (organizationInToken(text) === organizationId) this.#cache.delete(text)
    }
  }

  async #lookUp(text: string): Promise<Principal | undefined> {
    const organizationId = organizationInToken(text)
    if (organizationId === undefined) return undefined
    const generation = this.#generation
    const db = this.#database.forOrganization(organizationId)
    const { token, absence } = await findByText(db, text)
    this.#cache.delete(text)
    if (absence === 'migrated') throw organizationBeingMoved()
    if (!token || absence === 'deleted') return undefined
    const { id: tokenId, secondsLeft, ...rest } = token
    const principal = { tokenId, organizationId, ...rest }
    if (generation === this.#generation) this.#store(text, principal, secondsLeft)
    return principal
  }

  /** Caches the principal until the token expires at the latest. */
  #store(text: string, principal: Principal, secondsLeft: number | null): void {
    const seconds = Math.min(CACHE_SECONDS, secondsLeft ?? CACHE_SECONDS)
    this.#cache.set(text, { principal, untilMs: performance.now() + seconds * 1000 })
    if (this.#cache.size <= CACHED_TOKENS_MAX) return
    const [oldest] = this.#cache.keys()
    if (oldest !== undefined) this.#cache.delete(oldest)
  }

  #recordUse({ tokenId, organizationId, uploadSessionUuid }: Principal): void {
    // The use of an upload token is not a use of the API token that created it.
    if (uploadSessionUuid !== undefined) return
    const nowMs = performance.now()
    const lastMs = this.#lastRecordedMs.get(tokenId)
    if (lastMs !== undefined && nowMs - lastMs < USE_RECORDED_EVERY_SECONDS * 1000) return
    if (this.#lastRecordedMs.size >= CACHED_TOKENS_MAX) this.#lastRecordedMs.clear()
    this.#lastRecordedMs.set(tokenId, nowMs)
    markUsed(this.#database.forOrganization(organizationId), tokenId).catch((error: unknown) => {
      // A suspended organization is read-only, so uses of its tokens are not recorded.
      if (!isSuspended(error)) this.#onError(error)
    })
  }
}

async function findByText(db: OrganizationDb, text: string) {
  if (!isUploadToken(text)) return findLiveToken(db, hashOfToken(text))
  const { token, absence } = await findLiveUploadToken(db, hashOfToken(text))
  return { token: token && { ...token, ...uploaderRights }, absence }
}

/** The scopes of the operations that accept an upload token; each of them also checks the session. */
const uploaderRights = { scopes: UPLOAD_TOKEN_SCOPES, hasQuotas: false, hasDefaultResolutions: false }

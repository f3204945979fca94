/**
 * Caches what decides about an organization's playback tokens: its signing keys, its revocations, whether it is
 * open, and whether it was migrated away.
 *
 * Viewers request thousands of media files per second; the database is queried once every few seconds per
 * organization. Other instances see a change after that time, the instance that makes it sees it at once.
 */
import type { KeyObject } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { OrganizationId } from '../../kernel/ids.ts'
import type { Database } from '../../platform/db/database.ts'
import { keyOf } from '../signing-keys/signing-keys.ts'
import { findPassFacts, type PassFacts } from './playback-tokens.store.ts'

/**
 * Cache lifetime. With the up to two seconds that an edge caches a response, and the time of both requests, a
 * change takes effect within the five seconds that we promise.
 */
const KNOWN_SECONDS = 1.5

/** More than one instance serves at a time. The least recently used is evicted. */
const ORGANIZATIONS_MAX = 1000
/** Keys and revoked tokens of all organizations: about 100 MB if all of them had revoked as many as they may. */
const FACTS_MAX = 1_000_000
/**
 * Unknown organization ids. Clients can invent them, so they have a small cache of their own and evict nothing
 * else.
 */
const STRANGERS_MAX = 1000

export type KnownOrganization = {
  /** Another cell hosts it. */
  readonly isMigratedAway: boolean
  readonly isOpen: boolean
  readonly keys: ReadonlyMap<string, KeyObject>
  /** Token ids (`jti`). */
  readonly revoked: ReadonlySet<string>
}

/** Undefined if there is no such organization. */
export type Look = (organizationId: OrganizationId) => Promise<PassFacts | undefined>

export class RevocationCache {
  readonly #look: Look
  readonly #known = new LRUCache<OrganizationId, KnownOrganization>({
    max: ORGANIZATIONS_MAX,
    maxSize: FACTS_MAX,
    sizeCalculation: ({ keys, revoked }) => 1 + keys.size + revoked.size,
    ttl: KNOWN_SECONDS * 1000,
  })
  readonly #strangers = new LRUCache<OrganizationId, true>({
    max: STRANGERS_MAX,
    ttl: KNOWN_SECONDS * 1000,
  })
  readonly #underWay = new Map<OrganizationId, Promise<KnownOrganization>>()

  constructor(look: Look) {
    this.#look = look
  }

  static over(database: Database): RevocationCache {
    return new RevocationCache((organizationId) =>
      findPassFacts(database.forOrganization(organizationId)),
    )
  }

  /** Returns the cached entry, if there is one. */
  recall(organizationId: OrganizationId): KnownOrganization | undefined {
    return this.#strangers.get(organizationId) ? stranger : this.#known.get(organizationId)
  }

  /** Concurrent callers share one query. */
  find(organizationId: OrganizationId): Promise<KnownOrganization> {
    const waited = this.#underWay.get(organizationId)
    if (waited) return waited
    const asked = this.#ask(organizationId)
    this.#underWay.set(organizationId, asked)
    const settle = (known?: KnownOrganization) => {
      // Invalidated during the query: the result may be older than the change.
      if (this.#underWay.get(organizationId) !== asked) return
      this.#underWay.delete(organizationId)
      if (known === stranger) this.#strangers.set(organizationId, true)
      else if (known) this.#known.set(organizationId, known)
    }
    asked.then(settle, () => settle())
    return asked
  }

  /** Invalidates the entry of this organization. */
  forget(organizationId: OrganizationId): void {
    this.#known.delete(organizationId)
    this.#strangers.delete(organizationId)
    this.#underWay.delete(organizationId)
  }

  async #ask(organizationId: OrganizationId): Promise<KnownOrganization> {
    const facts = await this.#look(organizationId)
    if (!facts) return stranger
    return {
      isMigratedAway: facts.isMigratedAway,
      isOpen: facts.isOpen,
      keys: new Map(facts.keys.map((key) => [key.id, keyOf(key)])),
      revoked: new Set(facts.revoked),
    }
  }
}

const stranger: KnownOrganization = {
  isMigratedAway: false,
  isOpen: false,
  keys: new Map(),
  revoked: new Set(),
}

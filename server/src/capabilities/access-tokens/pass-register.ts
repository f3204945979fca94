/**
 * What of an organization decides about passes: its signing keys, what it has revoked, whether it
 * is open, and whether it is here at all.
 *
 * Viewers ask for thousands of pieces a second, and the database is asked once every few seconds
 * for all of them. So long a change may take to be known here; on the instance that makes it, it is
 * known at once.
 */
import type { KeyObject } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { OrganizationId } from '../../kernel/ids.ts'
import type { Database } from '../../platform/db/database.ts'
import { keyOf } from '../signing-keys/signing-keys.ts'
import { findPassFacts, type PassFacts } from './access-tokens.store.ts'

/**
 * Together with what an edge remembers of an answer, up to two seconds, and what either takes to
 * ask, it is less than the five that we promise.
 */
const KNOWN_SECONDS = 1.5

/** More than one instance meets at once; the one nobody asked for longest makes room. */
const ORGANIZATIONS_MAX = 1000
/** Of keys and revoked tokens, of all organizations: some 100 MB if every one of them had revoked all it may. */
const FACTS_MAX = 1_000_000
/** Anybody can invent them, so they have little room, and take nobody else's. */
const STRANGERS_MAX = 1000

export type KnownOrganization = {
  /** It lives in another cell. */
  readonly isGone: boolean
  readonly isOpen: boolean
  readonly keys: ReadonlyMap<string, KeyObject>
  /** Names of tokens. */
  readonly revoked: ReadonlySet<string>
}

/** Undefined of who is no organization. */
export type Look = (organizationId: OrganizationId) => Promise<PassFacts | undefined>

export class PassRegister {
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

  static over(database: Database): PassRegister {
    return new PassRegister((organizationId) =>
      findPassFacts(database.forOrganization(organizationId)),
    )
  }

  /** At once, if it was looked at a moment ago. */
  recall(organizationId: OrganizationId): KnownOrganization | undefined {
    return this.#strangers.get(organizationId) ? stranger : this.#known.get(organizationId)
  }

  /** All who ask at once wait for the same look. */
  find(organizationId: OrganizationId): Promise<KnownOrganization> {
    const waited = this.#underWay.get(organizationId)
    if (waited) return waited
    const asked = this.#ask(organizationId)
    this.#underWay.set(organizationId, asked)
    const settle = (known?: KnownOrganization) => {
      // Forgotten meanwhile: what was seen may be from before the change.
      if (this.#underWay.get(organizationId) !== asked) return
      this.#underWay.delete(organizationId)
      if (known === stranger) this.#strangers.set(organizationId, true)
      else if (known) this.#known.set(organizationId, known)
    }
    asked.then(settle, () => settle())
    return asked
  }

  /** What is known of this organization is out of date. */
  forget(organizationId: OrganizationId): void {
    this.#known.delete(organizationId)
    this.#strangers.delete(organizationId)
    this.#underWay.delete(organizationId)
  }

  async #ask(organizationId: OrganizationId): Promise<KnownOrganization> {
    const facts = await this.#look(organizationId)
    if (!facts) return stranger
    return {
      isGone: facts.isGone,
      isOpen: facts.isOpen,
      keys: new Map(facts.keys.map((key) => [key.id, keyOf(key)])),
      revoked: new Set(facts.revoked),
    }
  }
}

const stranger: KnownOrganization = {
  isGone: false,
  isOpen: false,
  keys: new Map(),
  revoked: new Set(),
}

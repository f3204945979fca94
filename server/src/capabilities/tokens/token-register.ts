/**
 * Who a token belongs to, remembered for two seconds.
 *
 * A busy caller sends hundreds of requests a second with one token; asking the database for each would
 * double its work. Two seconds is how long a token that was revoked on another instance can still be
 * used here; on the instance that revokes, it ends at once.
 */
import { refused } from '../../kernel/errors.ts'
import type { OrganizationId, TokenId } from '../../kernel/ids.ts'
import type { Database } from '../../platform/db/database.ts'
import type { Principal } from '../../platform/http/authentication.ts'
import { hashOfToken, organizationInToken } from './token-text.ts'
import { findLiveToken, markUsed } from './tokens.store.ts'

const REMEMBERED_SECONDS = 2
/** More tokens in use at once than one instance meets; the oldest makes room. */
const REMEMBERED_TOKENS_MAX = 10_000
/** `last_used_at` is exact to this: a write for every request would cost more than the request. */
const USE_NOTED_EVERY_SECONDS = 60

type Found = { readonly principal: Principal; readonly secondsLeft: number | null }
type Remembered = { readonly found: Promise<Found | undefined>; known?: Found; untilMs: number }

export class TokenRegister {
  readonly #database: Database
  readonly #onFault: (error: unknown) => void
  readonly #remembered = new Map<string, Remembered>()
  readonly #lastNotedMs = new Map<TokenId, number>()

  constructor(database: Database, onFault: (error: unknown) => void) {
    this.#database = database
    this.#onFault = onFault
  }

  /** Refuses all but a live token. Answers at once for one that it remembers. */
  authenticate(text: string | undefined): Principal | Promise<Principal> {
    const remembered = text === undefined ? undefined : this.#remembered.get(text)
    if (!remembered?.known || performance.now() >= remembered.untilMs) return this.#find(text)
    this.#noteUse(remembered.known.principal)
    return remembered.known.principal
  }

  async #find(text: string | undefined): Promise<Principal> {
    const found = text === undefined ? undefined : await this.#lookUp(text)
    if (!found) {
      throw refused(
        'unauthenticated',
        'Send a valid token: "Authorization: token <API_TOKEN>". This one is missing, malformed, unknown, revoked or expired.',
      )
    }
    this.#noteUse(found.principal)
    return found.principal
  }

  /** What is remembered of this organization's tokens may be out of date. */
  forget(organizationId: OrganizationId): void {
    for (const text of this.#remembered.keys()) {
      if (organizationInToken(text) === organizationId) this.#remembered.delete(text)
    }
  }

  async #lookUp(text: string): Promise<Found | undefined> {
    const known = this.#remembered.get(text)
    if (known && performance.now() < known.untilMs) return known.found
    const asked: Remembered = {
      found: this.#ask(text),
      untilMs: performance.now() + REMEMBERED_SECONDS * 1000,
    }
    this.#remembered.delete(text)
    this.#remembered.set(text, asked)
    this.#makeRoom()
    try {
      const found = await asked.found
      // Not beyond its expiry, to the millisecond.
      const secondsLeft = found?.secondsLeft ?? REMEMBERED_SECONDS
      asked.untilMs = Math.min(asked.untilMs, performance.now() + secondsLeft * 1000)
      if (found) asked.known = found
      return found
    } catch (error) {
      // A look-up that failed says nothing about the token.
      this.#remembered.delete(text)
      throw error
    }
  }

  async #ask(text: string): Promise<Found | undefined> {
    const organizationId = organizationInToken(text)
    if (organizationId === undefined) return undefined
    const token = await findLiveToken(
      this.#database.forOrganization(organizationId),
      hashOfToken(text),
    )
    if (!token) return undefined
    const principal = { tokenId: token.id, organizationId, scopes: token.scopes }
    return { principal, secondsLeft: token.secondsLeft }
  }

  #makeRoom(): void {
    if (this.#remembered.size <= REMEMBERED_TOKENS_MAX) return
    const [oldest] = this.#remembered.keys()
    if (oldest !== undefined) this.#remembered.delete(oldest)
  }

  #noteUse({ tokenId, organizationId }: Principal): void {
    const nowMs = performance.now()
    const noted = this.#lastNotedMs.get(tokenId)
    if (noted !== undefined && nowMs - noted < USE_NOTED_EVERY_SECONDS * 1000) return
    if (this.#lastNotedMs.size >= REMEMBERED_TOKENS_MAX) this.#lastNotedMs.clear()
    this.#lastNotedMs.set(tokenId, nowMs)
    markUsed(this.#database.forOrganization(organizationId), tokenId).catch(this.#onFault)
  }
}

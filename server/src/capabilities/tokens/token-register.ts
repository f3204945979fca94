/**
 * Who a token belongs to, remembered for two seconds.
 *
 * A busy caller sends hundreds of requests a second with one token; asking the database for each
 * would double its work. Two seconds is how long a token that was revoked on another instance can
 * still be used here; on the instance that revokes, it ends at once. So long an organization that
 * is gone may still be answered, too.
 */
import { refused } from '../../kernel/errors.ts'
import type { OrganizationId, TokenId } from '../../kernel/ids.ts'
import type { Database } from '../../platform/db/database.ts'
import { beingMoved, isHeld } from '../../platform/db/held.ts'
import type { Principal } from '../../platform/http/authentication.ts'
import { hashOfToken, organizationInToken } from './token-text.ts'
import { findLiveToken, isLiveToken, markUsed } from './tokens.store.ts'

const REMEMBERED_SECONDS = 2
/** More tokens in use at once than one instance meets; the oldest makes room. */
const REMEMBERED_TOKENS_MAX = 10_000
/** `last_used_at` is exact to this: a write for every request would cost more than the request. */
const USE_NOTED_EVERY_SECONDS = 60

type Remembered = { readonly principal: Principal; readonly untilMs: number }

export class TokenRegister {
  readonly #database: Database
  readonly #onFault: (error: unknown) => void
  readonly #remembered = new Map<string, Remembered>()
  readonly #lastNotedMs = new Map<TokenId, number>()
  /** Counts what has been forgotten: an answer that was asked for before is not remembered after. */
  #generation = 0

  constructor(database: Database, onFault: (error: unknown) => void) {
    this.#database = database
    this.#onFault = onFault
  }

  /** Who the token belongs to, if it was found live within the last two seconds. */
  recall(text: string): Principal | undefined {
    const remembered = this.#remembered.get(text)
    if (!remembered || performance.now() >= remembered.untilMs) return undefined
    this.#noteUse(remembered.principal)
    return remembered.principal
  }

  /** Whether it was live when it was last looked up. One that has not been in use for long is forgotten. */
  isFamiliar(text: string): boolean {
    return this.#remembered.has(text)
  }

  /** Refuses all but a live token, and everybody at an organization that is gone. */
  async find(text: string | undefined): Promise<Principal> {
    const principal = text === undefined ? undefined : await this.#ask(text)
    if (!principal) {
      throw refused(
        'unauthenticated',
        'Send a valid token: "Authorization: token <API_TOKEN>". This one is missing, malformed, unknown, revoked or expired.',
      )
    }
    this.#noteUse(principal)
    return principal
  }

  /** Whether a token that was let in still counts, as the database has it. It is in use, if so. */
  async isLive(principal: Principal): Promise<boolean> {
    const { organizationId, tokenId } = principal
    if (!(await isLiveToken(this.#database.forOrganization(organizationId), tokenId))) return false
    this.#noteUse(principal)
    return true
  }

  /** What is remembered of this organization's tokens may be out of date. */
  forget(organizationId: OrganizationId): void {
    this.#generation++
    for (const text of this.#remembered.keys()) {
      if (organizationInToken(text) === organizationId) this.#remembered.delete(text)
    }
  }

  async #ask(text: string): Promise<Principal | undefined> {
    const organizationId = organizationInToken(text)
    if (organizationId === undefined) return undefined
    const generation = this.#generation
    const db = this.#database.forOrganization(organizationId)
    const { token, isGone } = await findLiveToken(db, hashOfToken(text))
    this.#remembered.delete(text)
    if (isGone) throw beingMoved()
    if (!token) return undefined
    const { id: tokenId, scopes, expiresAt, secondsLeft } = token
    const principal = { tokenId, organizationId, scopes, expiresAt }
    if (generation === this.#generation) this.#remember(text, principal, secondsLeft)
    return principal
  }

  /** Not beyond its expiry, to the millisecond. */
  #remember(text: string, principal: Principal, secondsLeft: number | null): void {
    const seconds = Math.min(REMEMBERED_SECONDS, secondsLeft ?? REMEMBERED_SECONDS)
    this.#remembered.set(text, { principal, untilMs: performance.now() + seconds * 1000 })
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
    markUsed(this.#database.forOrganization(organizationId), tokenId).catch((error: unknown) => {
      // Whoever reads while the organization is held is not noted, and nothing is wrong.
      if (!isHeld(error)) this.#onFault(error)
    })
  }
}

/**
 * Decides who may fetch the media files of a video.
 *
 * It runs for every file, so it avoids queries: verified tokens are cached until they expire, and the register
 * caches what may end one earlier. Rules are checked on every request, because a token can be copied. Forged tokens
 * are refused before the register is queried, where that is possible.
 */
import type { KeyObject } from 'node:crypto'
import type { BlockList } from 'node:net'
import { decodeProtectedHeader, errors, jwtVerify } from 'jose'
import { LRUCache } from 'lru-cache'
import { DomainError } from '../../kernel/errors.ts'
import type { AssetId, OrganizationId } from '../../kernel/ids.ts'
import { organizationBeingMoved } from '../../platform/db/suspension.ts'
import { familyOf, toNetworks } from '../../platform/network/cidr.ts'
import {
  type Claims,
  claimsOf,
  denials,
  denied,
  isEntry,
  isFromOneOf,
  PASS_LENGTH_MAX,
  type Page,
  type Viewer,
} from './playback-tokens.rules.ts'
import type { KnownOrganization, RevocationCache } from './revocation-cache.ts'
import { SERVICE_KID_PREFIX, type TokenIssuer } from './token-issuer.ts'

/** A request for playback. */
export type Visit = {
  readonly pass: string
  readonly organizationId: OrganizationId
  readonly assetId: AssetId
  /** Name of the requested document; empty for anything but an entry document. */
  readonly name: string
  readonly page: Page
  readonly ip: string
}

type Signed = {
  readonly claims: Claims
  readonly kid: string
  readonly networks: BlockList | undefined
}

type KeyOf = (kid: string) => KeyObject | undefined

/** Concurrent viewers of one instance; one or two kilobytes each. */
const REMEMBERED_MAX = 10_000

/** An entry document, so that single-use tokens are accepted. */
const ENTRY = 'about.json'

const passForm = /^[\w-]+\.[\w-]+\.[\w-]+$/

export class PlaybackAuthorizer {
  readonly #passes: TokenIssuer
  readonly #register: RevocationCache
  readonly #signed = new LRUCache<string, Signed>({ max: REMEMBERED_MAX })

  constructor(passes: TokenIssuer, register: RevocationCache) {
    this.#passes = passes
    this.#register = register
  }

  async admit(visit: Visit): Promise<Viewer> {
    const { pass, organizationId, assetId } = visit
    const cached = pass === 'open' ? undefined : await this.#recognize(visit)
    const known =
      this.#register.recall(organizationId) ?? (await this.#register.find(organizationId))
    if (known.isMigratedAway) throw organizationBeingMoved()
    if (pass === 'open') {
      if (!known.isOpen) throw denied(denials.notOpen)
      return { organizationId, assetId, pass }
    }
    const signed = cached ?? (await this.#verify(visit, (kid) => known.keys.get(kid)))
    this.#assertCounts(signed, known)
    assertFits(signed, visit)
    return { organizationId, assetId, pass: signed.claims }
  }

  /**
   * For metadata requests (the embed page). Tokens restricted by referrer or network are refused because neither is
   * known here.
   */
  async mayBeTold(asked: Pick<Visit, 'pass' | 'organizationId' | 'assetId'>): Promise<boolean> {
    const nowhere = { name: ENTRY, page: { origin: undefined, referer: undefined }, ip: '0.0.0.0' }
    try {
      await this.admit({ ...asked, ...nowhere })
      return true
    } catch (error) {
      if (error instanceof DomainError && error.code === 'playback_denied') return false
      throw error
    }
  }

  /** Undefined if the token must be verified with a key of the organization. */
  async #recognize(visit: Visit): Promise<Signed | undefined> {
    const remembered = this.#signed.get(visit.pass)
    if (remembered) {
      if (remembered.claims.iss !== visit.organizationId) throw denied(denials.otherVideo)
      return remembered
    }
    if (!signerOf(visit.pass).startsWith(SERVICE_KID_PREFIX)) return undefined
    return this.#verify(visit, (kid) => this.#passes.publicKey(kid))
  }

  async #verify({ pass, organizationId }: Visit, keyOf: KeyOf): Promise<Signed> {
    const nowSeconds = Date.now() / 1000
    const { payload, kid } = await readSigned(pass, keyOf)
    const claims = claimsOf(payload, nowSeconds)
    const networks = claims?.networks && toNetworks(claims.networks)
    // Customers who sign tokens themselves may write an invalid network.
    if (!claims || (claims.networks && !networks)) throw denied(denials.unknown)
    // An organization's key is valid only for its own videos.
    if (claims.iss !== organizationId) throw denied(denials.otherVideo)
    const signed = { claims, kid, networks }
    // Cached without a TTL: the expiry is checked on every request, which costs less than a timestamp per cache
    // access.
    this.#signed.set(pass, signed)
    return signed
  }

  /**
   * Key ids of the service have a prefix that no key of an organization has; all others are looked up among the
   * organization's own.
   */
  #keyOf(kid: string, known: KnownOrganization): KeyObject | undefined {
    return this.#passes.publicKey(kid) ?? known.keys.get(kid)
  }

  #assertCounts({ claims, kid }: Signed, known: KnownOrganization): void {
    if (claims.exp * 1000 <= Date.now()) throw denied(denials.expired)
    const origin = claims.of ?? { jti: claims.jti, kid }
    const isKnown = this.#keyOf(kid, known) && this.#keyOf(origin.kid, known)
    if (!isKnown) throw denied(denials.unknown)
    if (known.revoked.has(claims.jti) || known.revoked.has(origin.jti)) {
      throw denied(denials.revoked)
    }
  }
}

function assertFits({ claims, networks }: Signed, visit: Visit): void {
  if (claims.iss !== visit.organizationId || claims.sub !== visit.assetId) {
    throw denied(denials.otherVideo)
  }
  if (claims.referrers && !isFromOneOf(claims.referrers, visit.page)) {
    throw denied(denials.referrer)
  }
  if (networks && !networks.check(visit.ip, familyOf(visit.ip))) {
    throw denied(denials.network)
  }
  if (claims.once && !isEntry(visit.name)) throw denied(denials.entryOnly)
}

/** The key id that a token names, not yet verified. */
function signerOf(pass: string): string {
  if (pass.length > PASS_LENGTH_MAX || !passForm.test(pass)) throw denied(denials.unknown)
  try {
    const { alg, kid } = decodeProtectedHeader(pass)
    if (alg === 'EdDSA' && typeof kid === 'string' && kid !== '') return kid
  } catch {
    // It has the format of a token but is not one.
  }
  throw denied(denials.unknown)
}

/**
 * Allows one algorithm, whatever the token's header says. This prevents unsigned tokens and tokens signed with a
 * public key as an HMAC secret.
 */
async function readSigned(pass: string, keyOf: KeyOf) {
  try {
    const { payload, protectedHeader } = await jwtVerify(
      pass,
      ({ kid = '' }) => {
        const key = keyOf(kid)
        if (!key) throw new errors.JWSInvalid('Unknown key')
        return key
      },
      { algorithms: ['EdDSA'] },
    )
    return { payload, kid: protectedHeader.kid ?? '' }
  } catch (error) {
    if (error instanceof errors.JWTExpired) throw denied(denials.expired)
    if (error instanceof errors.JOSEError) throw denied(denials.unknown)
    throw error
  }
}

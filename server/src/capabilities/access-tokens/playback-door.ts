/**
 * Who may fetch a video's pieces.
 *
 * Asked for every one of them, so it asks nobody: passes that were found to be signed are
 * remembered until they expire, and what may end one earlier is in the register. Rules are looked
 * at each time, because a pass can be copied. Whoever invents passes is refused before the register
 * is asked, as far as that can be told without it.
 */
import type { KeyObject } from 'node:crypto'
import type { BlockList } from 'node:net'
import { decodeProtectedHeader, errors, jwtVerify } from 'jose'
import { LRUCache } from 'lru-cache'
import { DomainError } from '../../kernel/errors.ts'
import type { AssetId, OrganizationId } from '../../kernel/ids.ts'
import { beingMoved } from '../../platform/db/held.ts'
import { familyOf, toNetworks } from '../../platform/http/network.ts'
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
} from './access-tokens.rules.ts'
import type { KnownOrganization, PassRegister } from './pass-register.ts'
import { SERVICE_KID_PREFIX, type ServicePasses } from './service-passes.ts'

/** Somebody at the door. */
export type Visit = {
  readonly pass: string
  readonly organizationId: OrganizationId
  readonly assetId: AssetId
  /** What is asked for; empty if it is nothing to begin with. */
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

/** Viewers of one instance at a time; a kilobyte or two each. */
const REMEMBERED_MAX = 10_000

/** What a pass for a single use opens as well. */
const ENTRY = 'about.json'

const passForm = /^[\w-]+\.[\w-]+\.[\w-]+$/

export class PlaybackDoor {
  readonly #passes: ServicePasses
  readonly #register: PassRegister
  readonly #signed = new LRUCache<string, Signed>({ max: REMEMBERED_MAX })

  constructor(passes: ServicePasses, register: PassRegister) {
    this.#passes = passes
    this.#register = register
  }

  async admit(visit: Visit): Promise<Viewer> {
    const { pass, organizationId, assetId } = visit
    const recognised = pass === 'open' ? undefined : await this.#recognise(visit)
    const known =
      this.#register.recall(organizationId) ?? (await this.#register.find(organizationId))
    if (known.isGone) throw beingMoved()
    if (pass === 'open') {
      if (!known.isOpen) throw denied(denials.notOpen)
      return { organizationId, assetId, pass }
    }
    const signed = recognised ?? (await this.#verify(visit, (kid) => known.keys.get(kid)))
    this.#assertCounts(signed, known)
    assertFits(signed, visit)
    return { organizationId, assetId, pass: signed.claims }
  }

  /**
   * For who is told of a video and fetches none of it. Whoever has to come from somewhere is told
   * nothing: that is not known here.
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

  /** Undefined if only the organization's own keys can tell. */
  async #recognise(visit: Visit): Promise<Signed | undefined> {
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
    // Who signs for themselves may write what is no network.
    if (!claims || (claims.networks && !networks)) throw denied(denials.unknown)
    // Somebody's own key signs for nobody else.
    if (claims.iss !== organizationId) throw denied(denials.otherVideo)
    const signed = { claims, kid, networks }
    // Without an end of its own there: whether it has expired is looked at each time, and a clock
    // for each look would cost more than that.
    this.#signed.set(pass, signed)
    return signed
  }

  /**
   * Those of the service are named so that no key of an organization is; an organization's are
   * looked for among its own.
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

/** The key that a pass names, which may be anybody's or nobody's. */
function signerOf(pass: string): string {
  if (pass.length > PASS_LENGTH_MAX || !passForm.test(pass)) throw denied(denials.unknown)
  try {
    const { alg, kid } = decodeProtectedHeader(pass)
    if (alg === 'EdDSA' && typeof kid === 'string' && kid !== '') return kid
  } catch {
    // It has the form of a token, and is none.
  }
  throw denied(denials.unknown)
}

/**
 * One algorithm, whatever the token's header says: that is how none is taken without a signature,
 * or with a public key for a secret.
 */
async function readSigned(pass: string, keyOf: KeyOf) {
  try {
    const { payload, protectedHeader } = await jwtVerify(
      pass,
      ({ kid = '' }) => {
        const key = keyOf(kid)
        if (!key) throw new errors.JWSInvalid('Nobody knows this key')
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

/**
 * Decides who may fetch the media files of a video.
 *
 * It runs for every file, so it avoids queries: verified tokens are cached, and so are the keys and revocations of
 * organizations. Rules are checked on every request, because a token can be copied. Tokens that name a key of the
 * service are verified before the database is queried, so forged ones cost no query.
 */
import type { KeyObject } from 'node:crypto'
import type { BlockList } from 'node:net'
import { decodeProtectedHeader, errors, jwtVerify } from 'jose'
import { LRUCache } from 'lru-cache'
import { DomainError } from '../../kernel/errors.ts'
import type { AssetId, OrganizationId } from '../../kernel/ids.ts'
import { organizationBeingMoved } from '../../platform/db/suspension.ts'
import { familyOf, toNetworks } from '../../platform/network/cidr.ts'
import { isAssetToken, type TokenVideo } from './asset-token.ts'
import {
  ASSET_TOKEN_JTI,
  type Claims,
  claimsOf,
  denials,
  denied,
  downloadDenials,
  ENDED_CREATORS_MAX,
  isEntry,
  isFromOneOf,
  type Page,
  TOKEN_LENGTH_MAX,
  TOKEN_TYPE,
  type Viewer,
} from './playback-tokens.rules.ts'
import type { RevocationCache, TokenPolicy } from './revocation-cache.ts'
import { type ReadToken, SERVICE_KID_PREFIX, type TokenIssuer } from './token-issuer.ts'

/** A request for a file of a video, with the properties that a playback token may restrict. */
export type AccessRequest = {
  readonly token: string
  readonly organizationId: OrganizationId
  readonly assetId: AssetId
  /** Name of the requested document; empty for anything but an entry document. */
  readonly name: string
  readonly page: Page
  readonly ip: string
}

/** A request for the file of a download link. */
export type DownloadRequest = Required<TokenVideo> & { readonly token: string }

type VerifiedToken = ReadToken & {
  readonly networks: BlockList | undefined
}

type KeyOf = (kid: string) => KeyObject | undefined

/** Maximum number of cached tokens: one per concurrent viewer, of one or two kilobytes each. */
const CACHED_MAX = 10_000

/** An entry document. Single-use tokens are accepted only for entry documents. */
const ENTRY = 'about.json'

const tokenForm = /^[\w-]+\.[\w-]+\.[\w-]+$/

export class PlaybackAuthorizer {
  readonly #tokenIssuer: TokenIssuer
  readonly #revocations: RevocationCache
  readonly #verified = new LRUCache<string, VerifiedToken>({ max: CACHED_MAX })

  constructor(tokenIssuer: TokenIssuer, revocations: RevocationCache) {
    this.#tokenIssuer = tokenIssuer
    this.#revocations = revocations
  }

  /** Throws unless the token, or `open`, permits the request. */
  async authorize(request: AccessRequest): Promise<Viewer> {
    const { token, organizationId, assetId } = request
    const early = token === 'open' ? undefined : await this.#verifyWithoutQuery(request)
    const policy = this.#revocations.findCached(organizationId) ?? (await this.#revocations.find(organizationId))
    assertServed(policy, denials.revoked)
    if (token === 'open') {
      if (!policy.isOpen) throw denied(denials.notOpen)
      return { organizationId, assetId, token }
    }
    const verified = early ?? (await this.#verify(request, (kid) => policy.keys.get(kid)))
    const denial = this.#denialOf(verified, policy)
    if (denial) throw denied(denials[denial])
    assertPermits(verified, request)
    return { organizationId, assetId, token: verified.claims }
  }

  /** Throws unless the token is that of a download link to this file. */
  async authorizeDownload({ token, ...file }: DownloadRequest): Promise<Viewer> {
    const { organizationId, assetId } = file
    const read = this.#tokenIssuer.readDownloadToken(token, file)
    if (!read) throw denied(downloadDenials.unknown)
    const policy = this.#revocations.findCached(organizationId) ?? (await this.#revocations.find(organizationId))
    assertServed(policy, downloadDenials.revoked)
    const denial = this.#denialOf(read, policy)
    if (denial) throw denied(downloadDenials[denial])
    return { organizationId, assetId, token: read.claims }
  }

  /**
   * For metadata requests (the embed page). Tokens restricted by referrer or network are refused because neither is
   * known here.
   */
  async mayReadMetadata(video: Pick<AccessRequest, 'token' | 'organizationId' | 'assetId'>): Promise<boolean> {
    const unknown = { name: ENTRY, page: { origin: undefined, referer: undefined }, ip: '0.0.0.0' }
    try {
      await this.authorize({ ...video, ...unknown })
      return true
    } catch (error) {
      if (error instanceof DomainError && error.code === 'playback_denied') return false
      throw error
    }
  }

  /** Verifies the token without a database query. Undefined if a key of the organization is needed. */
  async #verifyWithoutQuery(request: AccessRequest): Promise<VerifiedToken | undefined> {
    const cached = this.#verified.get(request.token)
    if (cached) {
      if (cached.claims.iss !== request.organizationId) throw denied(denials.otherVideo)
      return cached
    }
    if (isAssetToken(request.token)) return this.#verifyAssetToken(request)
    if (!signerOf(request.token).startsWith(SERVICE_KID_PREFIX)) return undefined
    return this.#verify(request, (kid) => this.#tokenIssuer.publicKey(kid))
  }

  /** Verifies a token of an asset response. Only a token for the video in the URL is cached. */
  #verifyAssetToken({ token, organizationId, assetId }: AccessRequest): VerifiedToken {
    const read = this.#tokenIssuer.readAssetToken(token, { organizationId, assetId })
    if (!read) throw denied(denials.assetToken)
    if (read.claims.exp * 1000 <= Date.now()) throw denied(denials.expired)
    const verified = { ...read, networks: undefined }
    this.#verified.set(token, verified)
    return verified
  }

  async #verify({ token, organizationId }: AccessRequest, keyOf: KeyOf): Promise<VerifiedToken> {
    const nowSeconds = Date.now() / 1000
    const { payload, kid } = await readSigned(token, keyOf)
    const claims = claimsOf(payload, nowSeconds)
    const networks = claims?.networks && toNetworks(claims.networks)
    // Customers who sign tokens themselves may write an invalid network.
    if (!claims || (claims.networks && !networks)) throw denied(denials.unknown)
    // An organization's key is valid only for its own videos.
    if (claims.iss !== organizationId) throw denied(denials.otherVideo)
    const verified = { claims, kid, networks }
    // Cached without a TTL: the expiry is checked on every request, which costs less than a timestamp per cache access.
    this.#verified.set(token, verified)
    return verified
  }

  /**
   * Key ids of the service have a prefix that no key of an organization has; all others are looked up among the
   * organization's own.
   */
  #keyOf(kid: string, policy: TokenPolicy): KeyObject | undefined {
    return this.#tokenIssuer.publicKey(kid) ?? policy.keys.get(kid)
  }

  /** Why a token with a valid signature is refused; undefined if it is accepted. */
  #denialOf({ claims, kid }: ReadToken, policy: TokenPolicy): keyof typeof downloadDenials | undefined {
    if (claims.exp * 1000 <= Date.now()) return 'expired'
    const origin = claims.of ?? { jti: claims.jti, kid }
    const areKeysKnown = this.#keyOf(kid, policy) && this.#keyOf(origin.kid, policy)
    if (!areKeysKnown) return 'unknown'
    // Tokens that a customer signed have no epoch. A later epoch than the cached one is valid: only we sign epochs.
    const isOfEpoch = !origin.kid.startsWith(SERVICE_KID_PREFIX) || (claims.epoch ?? -1) >= policy.epoch
    const isRevoked = policy.revoked.has(claims.jti) || policy.revoked.has(origin.jti)
    return !isOfEpoch || isRevoked || isCreatorEnded(claims, policy) ? 'revoked' : undefined
  }
}

/** Whether the token is refused because its API token was revoked. Also true if too many were revoked to know. */
function isCreatorEnded({ by, jti }: Claims, { endedCreators }: TokenPolicy): boolean {
  if (by === undefined) return false
  if (endedCreators.size > ENDED_CREATORS_MAX) return true
  const ended = endedCreators.get(by)
  return ended !== undefined && (ended.withDescendants || jti === ASSET_TOKEN_JTI)
}

function assertPermits({ claims, networks }: VerifiedToken, request: AccessRequest): void {
  if (claims.iss !== request.organizationId || claims.sub !== request.assetId) {
    throw denied(denials.otherVideo)
  }
  if (claims.referrers && !isFromOneOf(claims.referrers, request.page)) {
    throw denied(denials.referrer)
  }
  if (networks && !networks.check(request.ip, familyOf(request.ip))) {
    throw denied(denials.network)
  }
  if (claims.once && !isEntry(request.name)) throw denied(denials.entryOnly)
}

/** The key id that a token names, not yet verified. */
function signerOf(token: string): string {
  if (token.length > TOKEN_LENGTH_MAX || !tokenForm.test(token)) throw denied(denials.unknown)
  try {
    const { alg, kid } = decodeProtectedHeader(token)
    if (alg === 'EdDSA' && typeof kid === 'string' && kid !== '') return kid
  } catch {
    // The text has the format of a token but is not one.
  }
  throw denied(denials.unknown)
}

/**
 * Allows one algorithm, whatever the token's header says. This prevents unsigned tokens and tokens signed with a
 * public key as an HMAC secret.
 */
async function readSigned(token: string, keyOf: KeyOf) {
  try {
    const { payload, protectedHeader } = await jwtVerify(
      token,
      ({ kid = '' }) => {
        const key = keyOf(kid)
        if (!key) throw new errors.JWSInvalid('Unknown key')
        return key
      },
      { algorithms: ['EdDSA'], typ: TOKEN_TYPE },
    )
    return { payload, kid: protectedHeader.kid ?? '' }
  } catch (error) {
    if (error instanceof errors.JWTExpired) throw denied(denials.expired)
    const isOtherType = error instanceof errors.JWTClaimValidationFailed && error.claim === 'typ'
    if (isOtherType) throw denied(denials.type)
    if (error instanceof errors.JOSEError) throw denied(denials.unknown)
    throw error
  }
}

function assertServed({ absence }: TokenPolicy, denial: string): void {
  if (absence === 'migrated') throw organizationBeingMoved()
  if (absence === 'deleted') throw denied(denial)
}

/**
 * Claims of playback tokens and what they permit.
 *
 * Every playback URL contains the word `open` or a playback token: a signed JWT with the claims below, named as in
 * RFC 7519, or the short form of `asset-token.ts`. A token is for one video. Its rules may restrict it further: to
 * pages of certain hosts, to certain networks, to a single use.
 */
import { accessTokens as contract } from '@reelkeep/contract'
import { refused } from '../../kernel/errors.ts'
import type { AccessTokenId, AssetId, OrganizationId, PrincipalId } from '../../kernel/ids.ts'
import type { Timestamp } from '../../kernel/time.ts'
import type { CreatorRow } from '../grants/grants.ts'

export type Claims = {
  readonly iss: OrganizationId
  readonly sub: AssetId
  /** Issue time in seconds since 1970, like the expiry `exp`. */
  readonly iat: number
  readonly exp: number
  readonly jti: string
  readonly viewer?: string
  /** The token is for a single use. */
  readonly once?: true
  readonly referrers?: readonly string[]
  readonly networks?: readonly string[]
  readonly watermark?: string
  /**
   * Set on a token that was issued in exchange for a single-use token: the single-use token and the key that signed
   * it. Revoking either of them ends this token too.
   */
  readonly of?: { readonly jti: string; readonly kid: string }
  /**
   * Id of the API token that created this playback token. Revoking that API token with its descendants revokes this
   * token. A token in an asset response is also revoked if the API token is revoked alone.
   */
  readonly by?: string
  /** Playback epoch of the organization, in tokens that the service signed. Increasing the epoch revokes them. */
  readonly epoch?: number
}

/** A viewer who may fetch the media files of one video. */
export type Viewer = {
  readonly organizationId: OrganizationId
  readonly assetId: AssetId
  readonly token: 'open' | Claims
}

/** A stored playback token. */
export type AccessToken = {
  readonly id: AccessTokenId
  readonly viewerId: string | null
  readonly isSingleUse: boolean
  readonly referrers: readonly string[]
  readonly networks: readonly string[]
  readonly watermark: string | null
  readonly createdAt: Timestamp
  readonly expiresAt: Timestamp
  readonly usedAt: Timestamp | null
  readonly revokedAt: Timestamp | null
} & CreatorRow

/**
 * Maximum length of a token, which keeps URLs within the 8 KiB that proxies accept. A token with every rule at its
 * limit is shorter.
 */
export const TOKEN_LENGTH_MAX = 6144

/** How far the clock of a customer's own signer may be ahead of ours. */
const CLOCK_AHEAD_SECONDS_MAX = 60

/** Type in the header of every token (RFC 8725, section 3.11). A JWT signed for another purpose is refused. */
export const TOKEN_TYPE = 'playback+jwt'

/** `jti` of the tokens in asset responses, which are not stored. */
export const ASSET_TOKEN_JTI = 'asset'

export const LIVE_TOKENS_PER_ASSET_MAX = 10_000
/**
 * Limit on revocations of one epoch, because every instance keeps all of them in memory. The next revocation increases
 * the epoch instead, which revokes all tokens.
 */
export const REVOCATIONS_PER_ORGANIZATION_MAX = 10_000
/**
 * Maximum number of revocations that are read. It is higher than `REVOCATIONS_PER_ORGANIZATION_MAX`, because
 * concurrent requests may exceed that limit together, and no revocation may be missed.
 */
export const REVOCATIONS_READ_MAX = REVOCATIONS_PER_ORGANIZATION_MAX + 1000

/** Expiry of a new token in seconds since 1970: after its lifetime, and with its grantor at the latest. */
export function expiryOf(iat: number, lifetimeSeconds: number, grantorExpiresAt: Timestamp | null): number {
  const exp = iat + lifetimeSeconds
  return grantorExpiresAt === null ? exp : Math.min(exp, Math.floor(Date.parse(grantorExpiresAt) / 1000))
}

/**
 * Limit on API tokens that ended recently, because every instance keeps all of them in memory. Beyond it, every token
 * of the organization that the service signed is refused, because a revoked one could be missed.
 */
export const ENDED_CREATORS_MAX = 10_000

const HOUR_SECONDS = 3600
/**
 * Minimum lifetime of a playback URL in an asset response. It expires at the next full hour after that, so that all
 * responses within an hour contain the same URL.
 */
const ASSET_TOKEN_SECONDS_MIN = 6 * HOUR_SECONDS
export const ASSET_TOKEN_SECONDS_MAX = ASSET_TOKEN_SECONDS_MIN + HOUR_SECONDS

/** The caller to whom the API returns playback URLs. */
export type AssetReader = {
  readonly organizationId: OrganizationId
  readonly id: PrincipalId
  readonly expiresAt: Timestamp | null
  readonly playbackEpoch: number
}

/**
 * Expiry of the token in a response about an asset, in seconds since 1970: at a full hour, but with the API token at
 * the latest.
 */
export function assetTokenExpiry({ expiresAt }: AssetReader, now: Date): number {
  const end = Math.ceil((now.getTime() / 1000 + ASSET_TOKEN_SECONDS_MIN) / HOUR_SECONDS) * HOUR_SECONDS
  return expiryOf(end - ASSET_TOKEN_SECONDS_MAX, ASSET_TOKEN_SECONDS_MAX, expiresAt)
}

/** Expiry of a download link in seconds since 1970, and its lifetime: it ends with the API token at the latest. */
export function downloadExpiry(
  { expiresAt }: Pick<AssetReader, 'expiresAt'>,
  lifetimeSeconds: number,
  now: Date,
): { readonly exp: number; readonly secondsLeft: number } {
  const iat = Math.floor(now.getTime() / 1000)
  const exp = expiryOf(iat, lifetimeSeconds, expiresAt)
  return { exp, secondsLeft: Math.max(1, exp - iat) }
}

const jtiForm = /^[\w.-]{1,64}$/
const kidForm = /^[\w-]{1,64}$/
const hostForm = /^(\*\.)?[a-z0-9][a-z0-9.-]{0,99}$/
const networkForm = /^[0-9a-fA-F.:]{2,39}\/\d{1,3}$/

/**
 * Validates the claims of a signed token. Returns undefined if a claim is missing, has another type or exceeds its
 * limit. Unknown claims are ignored.
 */
export function claimsOf(payload: Record<string, unknown>, nowSeconds: number): Claims | undefined {
  const { iss, sub, iat, exp, jti, viewer, once, referrers, networks, watermark, of, by, epoch } = payload
  const isValid =
    typeof iss === 'string' &&
    typeof sub === 'string' &&
    isLifetime(iat, exp, nowSeconds) &&
    isForm(jti, jtiForm) &&
    isAbsentOr(viewer, (text) => isText(text, contract.VIEWER_LENGTH_MAX)) &&
    isAbsentOr(once, (value) => value === true) &&
    isAbsentOr(referrers, (list) => isListOf(list, hostForm)) &&
    isAbsentOr(networks, (list) => isListOf(list, networkForm)) &&
    isAbsentOr(watermark, (text) => isText(text, contract.WATERMARK_LENGTH_MAX)) &&
    isAbsentOr(of, isOrigin) &&
    isAbsentOr(by, (id) => isForm(id, jtiForm)) &&
    isAbsentOr(epoch, Number.isSafeInteger)
  if (!isValid) return undefined
  const rules = { viewer, once, referrers, networks, watermark, of, by, epoch }
  const present = Object.entries(rules).filter(([, value]) => value !== undefined)
  return { iss, sub, iat, exp, jti, ...Object.fromEntries(present) } as Claims
}

function isLifetime(iat: unknown, exp: unknown, nowSeconds: number): boolean {
  if (!Number.isSafeInteger(iat) || !Number.isSafeInteger(exp)) return false
  const [from, to] = [Number(iat), Number(exp)]
  const isBounded = to > from && to - from <= contract.LIFETIME_SECONDS_MAX
  return isBounded && from <= nowSeconds + CLOCK_AHEAD_SECONDS_MAX
}

const isAbsentOr = (value: unknown, is: (value: unknown) => boolean) => value === undefined || is(value)

const isForm = (value: unknown, form: RegExp) => typeof value === 'string' && form.test(value)

/** Counts code points, as the contract does. */
const isText = (value: unknown, lengthMax: number) =>
  typeof value === 'string' && value.length > 0 && [...value].length <= lengthMax

/** An empty list is ambiguous: it could mean all or none. */
const isListOf = (value: unknown, form: RegExp) =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.length <= contract.RULES_MAX &&
  value.every((item) => isForm(item, form))

function isOrigin(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const { jti, kid } = value as Record<string, unknown>
  return isForm(jti, jtiForm) && isForm(kid, kidForm)
}

/** Request headers that name the page on which the player runs. */
export type Page = {
  readonly origin: string | undefined
  readonly referer: string | undefined
}

/** Whether `Origin` or `Referer` names one of these hosts. A request with neither does not match. */
export function isFromOneOf(hosts: readonly string[], { origin, referer }: Page): boolean {
  const page = origin === undefined || origin === 'null' ? referer : origin
  const host = page === undefined ? undefined : URL.parse(page)?.hostname
  if (!host) return false
  return hosts.some((allowed) => (allowed.startsWith('*.') ? host.endsWith(allowed.slice(1)) : host === allowed))
}

/** Entry documents, which a player fetches first. A single-use token permits one of them and nothing else. */
const entryNames = ['master.m3u8', 'manifest.mpd', 'about.json']

export const isEntry = (name: string) => entryNames.includes(name)

/** Unprotected videos may be played under `open`; protected ones require a token. */
export function assertOpens({ token }: Viewer, contentProtection: string): void {
  if (token === 'open' && contentProtection !== 'disable') throw denied(denials.notOpen)
}

/** Remaining lifetime of a token; null for `open`, which does not expire. */
export const secondsLeft = ({ token }: Viewer, nowSeconds: number): number | null =>
  token === 'open' ? null : Math.max(0, Math.floor(token.exp - nowSeconds))

const getNewUrl = 'Get a new URL from the API: `video.playback_url` of the asset, or one created with `access-tokens/`.'

export const denials = {
  notOpen: `This video is not public. ${getNewUrl}`,
  unknown: `The playback token in this URL is missing, malformed, or not signed by a known key. ${getNewUrl}`,
  type: `The header of the playback token in this URL must contain \`typ: ${TOKEN_TYPE}\`. ${getNewUrl}`,
  expired: `The playback token in this URL has expired. ${getNewUrl}`,
  revoked: `The playback token in this URL has been revoked. ${getNewUrl}`,
  assetToken: `The playback token in this URL is malformed, was changed, or is for another video. ${getNewUrl}`,
  otherVideo: `The playback token in this URL is for another video. ${getNewUrl}`,
  referrer:
    'This playback token is restricted to certain sites, and the request did not come from one of them (`Origin`, `Referer`). Open the video on the site that offers it.',
  network: 'This playback token is restricted to other networks. Connect from an allowed network, or get a new URL.',
  used: `This playback token was for a single use and has been used. ${getNewUrl}`,
  entryOnly:
    'This playback token is for a single use. Start with a GET of `master.m3u8` or `manifest.mpd` and follow the redirect.',
} as const

const getNewLink = 'Create a new one with `downloads/` of the asset.'

export const downloadDenials = {
  unknown: `The download link is malformed, was changed, or is for another file. ${getNewLink}`,
  expired: `The download link has expired. ${getNewLink}`,
  revoked: `The download link has been revoked. ${getNewLink}`,
} as const

export const denied = (why: string) => refused('playback_denied', why)

export function assertRoomForAccessToken(live: number): void {
  if (live < LIVE_TOKENS_PER_ASSET_MAX) return
  throw refused(
    'access_token_limit_reached',
    `An asset can have at most ${LIVE_TOKENS_PER_ASSET_MAX} access tokens that have not expired. Use shorter lifetimes, or sign tokens yourself with a signing key.`,
  )
}

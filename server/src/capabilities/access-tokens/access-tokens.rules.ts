/**
 * What a pass says, and what it opens.
 *
 * A *pass* is what stands in the address of everything that viewers fetch: the word `open`, or a
 * signed token with the claims below, whose names are those that tokens have everywhere (RFC 7519).
 * A pass is for one video. What else it demands of a viewer is a *rule*: pages of some hosts,
 * addresses in some networks, one use.
 */
import { accessTokens as contract } from '@reelkeep/contract'
import { refused } from '../../kernel/errors.ts'
import type { AccessTokenId, AssetId, OrganizationId } from '../../kernel/ids.ts'
import type { Timestamp } from '../../kernel/time.ts'

export type Claims = {
  readonly iss: OrganizationId
  readonly sub: AssetId
  /** Seconds since 1970, as the two below. */
  readonly iat: number
  readonly exp: number
  readonly jti: string
  readonly viewer?: string
  /** For a single use. */
  readonly once?: true
  readonly referrers?: readonly string[]
  readonly networks?: readonly string[]
  readonly watermark?: string
  /**
   * Of a pass that we gave in exchange for one of a single use: it ends with that one, and with the
   * key that signed it.
   */
  readonly of?: { readonly jti: string; readonly kid: string }
}

/** Somebody who may fetch pieces of one video. */
export type Viewer = {
  readonly organizationId: OrganizationId
  readonly assetId: AssetId
  readonly pass: 'open' | Claims
}

/** A token as it is kept. */
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
}

/**
 * With it an address fits into the 8 KiB that proxies read of one; a pass with every rule at its
 * longest is shorter.
 */
export const PASS_LENGTH_MAX = 6144

/** Clocks of those who sign for themselves may be ahead of ours by so much. */
const CLOCK_AHEAD_SECONDS_MAX = 60

export const LIVE_TOKENS_PER_ASSET_MAX = 10_000
/** Every instance holds them in memory. */
export const REVOCATIONS_PER_ORGANIZATION_MAX = 10_000
/** Several who revoke at the same moment may pass the limit together, and none of theirs may be overlooked. */
export const REVOCATIONS_READ_MAX = REVOCATIONS_PER_ORGANIZATION_MAX + 1000

const jtiForm = /^[\w.-]{1,64}$/
const kidForm = /^[\w-]{1,64}$/
const hostForm = /^(\*\.)?[a-z0-9][a-z0-9.-]{0,99}$/
const networkForm = /^[0-9a-fA-F.:]{2,39}\/\d{1,3}$/

/**
 * Undefined if a signed text claims what no pass may: anything missing, of another type, or beyond
 * its bounds. What we do not know is left aside.
 */
export function claimsOf(said: Record<string, unknown>, nowSeconds: number): Claims | undefined {
  const { iss, sub, iat, exp, jti, viewer, once, referrers, networks, watermark, of } = said
  const isSound =
    typeof iss === 'string' &&
    typeof sub === 'string' &&
    isLife(iat, exp, nowSeconds) &&
    isForm(jti, jtiForm) &&
    isAbsentOr(viewer, (text) => isText(text, contract.VIEWER_LENGTH_MAX)) &&
    isAbsentOr(once, (value) => value === true) &&
    isAbsentOr(referrers, (list) => isListOf(list, hostForm)) &&
    isAbsentOr(networks, (list) => isListOf(list, networkForm)) &&
    isAbsentOr(watermark, (text) => isText(text, contract.WATERMARK_LENGTH_MAX)) &&
    isAbsentOr(of, isOrigin)
  if (!isSound) return undefined
  const rules = { viewer, once, referrers, networks, watermark, of }
  const present = Object.entries(rules).filter(([, value]) => value !== undefined)
  return { iss, sub, iat, exp, jti, ...Object.fromEntries(present) } as Claims
}

function isLife(iat: unknown, exp: unknown, nowSeconds: number): boolean {
  if (!Number.isSafeInteger(iat) || !Number.isSafeInteger(exp)) return false
  const [from, to] = [Number(iat), Number(exp)]
  const isBounded = to > from && to - from <= contract.LIFETIME_SECONDS_MAX
  return isBounded && from <= nowSeconds + CLOCK_AHEAD_SECONDS_MAX
}

const isAbsentOr = (value: unknown, is: (value: unknown) => boolean) =>
  value === undefined || is(value)

const isForm = (value: unknown, form: RegExp) => typeof value === 'string' && form.test(value)

/** Counted as the contract does: a letter beyond the first 65,536 is one as well. */
const isText = (value: unknown, lengthMax: number) =>
  typeof value === 'string' && value.length > 0 && [...value].length <= lengthMax

/** An empty list would say "nobody" to one reader and "everybody" to another. */
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

export type Page = {
  readonly origin: string | undefined
  readonly referer: string | undefined
}

/**
 * Whether the page that asks is one of those hosts'. Browsers tell by either header; who tells
 * nothing is none of them.
 */
export function isFromOneOf(hosts: readonly string[], { origin, referer }: Page): boolean {
  const told = origin === undefined || origin === 'null' ? referer : origin
  const host = told === undefined ? undefined : URL.parse(told)?.hostname
  if (!host) return false
  return hosts.some((allowed) =>
    allowed.startsWith('*.') ? host.endsWith(allowed.slice(1)) : host === allowed,
  )
}

/** With these a player begins. A pass for a single use opens one of them, and nothing else. */
const entryNames = ['master.m3u8', 'manifest.mpd', 'about.json']

export const isEntry = (name: string) => entryNames.includes(name)

/** What was not asked to be protected may be watched under `open`; what was, never. */
export function assertOpens({ pass }: Viewer, contentProtection: string): void {
  if (pass === 'open' && contentProtection !== 'disable') throw denied(denials.notOpen)
}

/** How long a pass still lasts; null of `open`, which has no end. */
export const secondsLeft = ({ pass }: Viewer, nowSeconds: number): number | null =>
  pass === 'open' ? null : Math.max(0, Math.floor(pass.exp - nowSeconds))

const fresh =
  'Take a fresh address from the API: `video.playback_url` of the asset, or one made with `access_tokens/`.'

export const denials = {
  notOpen: `This video is not open to everybody. ${fresh}`,
  unknown: `The playback token in this address is missing, malformed, or not signed by anybody who may. ${fresh}`,
  expired: `The playback token in this address has expired. ${fresh}`,
  revoked: `The playback token in this address has been revoked. ${fresh}`,
  otherVideo: `The playback token in this address is for another video. ${fresh}`,
  referrer:
    'This playback token is for pages of certain sites, and the browser did not say that it is on one of them (`Origin`, `Referer`). Open the video on the site that offers it.',
  network:
    'This playback token is for viewers in certain networks, and this request comes from elsewhere.',
  used: `This playback token was for a single use, and has been used. ${fresh}`,
  entryOnly:
    'This playback token is for a single use. Begin with a GET of `master.m3u8` or `manifest.mpd`, and go where that leads.',
} as const

export const denied = (why: string) => refused('playback_denied', why)

export function assertRoomForAccessToken(live: number): void {
  if (live < LIVE_TOKENS_PER_ASSET_MAX) return
  throw refused(
    'access_token_limit_reached',
    `An asset has at most ${LIVE_TOKENS_PER_ASSET_MAX} access tokens that have not expired. Give them a shorter life, or sign them yourself with a signing key.`,
  )
}

export function assertRoomForRevocation(revoked: number): void {
  if (revoked < REVOCATIONS_PER_ORGANIZATION_MAX) return
  throw refused(
    'revocation_limit_reached',
    `An organization has at most ${REVOCATIONS_PER_ORGANIZATION_MAX} revoked access tokens that have not expired. Wait for some to expire.`,
  )
}

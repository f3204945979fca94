import type { Scope } from '@reelkeep/contract'
import { refused } from '../../kernel/errors.ts'
import type { TokenId } from '../../kernel/ids.ts'
import type { Timestamp } from '../../kernel/time.ts'

/** More than an organization has programs; it keeps a runaway script from filling the table. */
export const LIVE_TOKENS_PER_ORGANIZATION_MAX = 1000

/** A token that lasts longer than this is one that nobody remembers. */
const LIFETIME_YEARS_MAX = 10

export type Token = {
  readonly id: TokenId
  readonly name: string
  readonly scopes: readonly Scope[]
  readonly createdAt: Timestamp
  readonly expiresAt: Timestamp | null
  readonly revokedAt: Timestamp | null
  readonly lastUsedAt: Timestamp | null
}

/** Nobody hands out more than they have. */
export function assertMayGrant(held: readonly Scope[], wanted: readonly Scope[]): void {
  if (held.includes('*')) return
  const missing = wanted.filter((scope) => !held.includes(scope))
  if (missing.length === 0) return
  throw refused(
    'insufficient_scope',
    `A token can only grant scopes that it has itself; this one lacks ${missing.join(', ')}.`,
    'scopes',
  )
}

/** Of two ends, null being none. Both are in the one form in which the API shows a time. */
export function earlier(one: string | null, other: string | null): string | null {
  if (one === null || other === null) return one ?? other
  return one < other ? one : other
}

/** Nobody grants beyond their own end. */
function assertNotBeyond(expiry: Date, grantorExpiresAt: string | null): void {
  if (grantorExpiresAt === null || expiry <= new Date(grantorExpiresAt)) return
  throw refused(
    'invalid_expiry',
    `expires_at must not be later than the expiry of the token that grants it (${grantorExpiresAt}).`,
    'expires_at',
  )
}

/** The same moment in UTC, to the microsecond, in the one form that every database reads. */
export function asExpiry(
  expiresAt: string | null,
  grantorExpiresAt: string | null,
  now: Date,
): string | null {
  if (expiresAt === null) return grantorExpiresAt
  const expiry = new Date(expiresAt)
  const latest = new Date(now)
  latest.setUTCFullYear(now.getUTCFullYear() + LIFETIME_YEARS_MAX)
  assertNotBeyond(expiry, grantorExpiresAt)
  const [, fraction = '0'] = /\.(\d{1,6})/.exec(expiresAt) ?? []
  if (expiry > now && expiry <= latest) return `${expiry.toISOString().slice(0, 19)}.${fraction}Z`
  throw refused(
    'invalid_expiry',
    `expires_at must lie in the future, at most ${LIFETIME_YEARS_MAX} years from now.`,
    'expires_at',
  )
}

export function assertRoomForToken(liveTokens: number): void {
  if (liveTokens < LIVE_TOKENS_PER_ORGANIZATION_MAX) return
  throw refused(
    'token_limit_reached',
    `An organization has at most ${LIVE_TOKENS_PER_ORGANIZATION_MAX} live tokens. Revoke one first.`,
  )
}

export function assertRotatable({ isLive }: { readonly isLive: boolean }): void {
  if (isLive) return
  throw refused('token_not_live', 'It is revoked or has expired. Create a new token instead.')
}

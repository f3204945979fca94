import type { Scope } from '@reelkeep/contract'
import { refused } from '../../kernel/errors.ts'
import type { TokenId } from '../../kernel/ids.ts'
import type { Timestamp } from '../../kernel/time.ts'

/** Maximum number of live tokens. It keeps a runaway script from filling the table. */
export const LIVE_TOKENS_PER_ORGANIZATION_MAX = 1000

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

/** A token can grant only scopes that it has itself. */
export function assertMayGrant(own: readonly Scope[], requested: readonly Scope[]): void {
  if (own.includes('*')) return
  const missing = requested.filter((scope) => !own.includes(scope))
  if (missing.length === 0) return
  throw refused(
    'insufficient_scope',
    `This token lacks ${missing.join(', ')}. A token can only grant scopes that it has: use one with these scopes.`,
    'scopes',
  )
}

/** The earlier of two timestamps in the format of the API, which sorts as text. Null means no expiry. */
export function earlierExpiry(a: string | null, b: string | null): string | null {
  if (a === null || b === null) return a ?? b
  return a < b ? a : b
}

function assertNotBeyond(expiry: Date, grantorExpiresAt: string | null): void {
  if (grantorExpiresAt === null || expiry <= new Date(grantorExpiresAt)) return
  throw refused(
    'invalid_expiry',
    `expires_at must not be later than the expiry of the token that grants it (${grantorExpiresAt}).`,
    'expires_at',
  )
}

/** Validates an expiry and returns it in UTC with microseconds. */
export function asExpiry(expiresAt: string | null, grantorExpiresAt: string | null, now: Date): string | null {
  if (expiresAt === null) return grantorExpiresAt
  const expiry = new Date(expiresAt)
  const latest = new Date(now)
  latest.setUTCFullYear(now.getUTCFullYear() + LIFETIME_YEARS_MAX)
  assertNotBeyond(expiry, grantorExpiresAt)
  const [, fraction = '0'] = /\.(\d{1,6})/.exec(expiresAt) ?? []
  if (expiry > now && expiry <= latest) return `${expiry.toISOString().slice(0, 19)}.${fraction}Z`
  throw refused(
    'invalid_expiry',
    `expires_at must be in the future and at most ${LIFETIME_YEARS_MAX} years from now.`,
    'expires_at',
  )
}

export function assertRoomForToken(liveTokens: number): void {
  if (liveTokens < LIVE_TOKENS_PER_ORGANIZATION_MAX) return
  throw refused(
    'token_limit_reached',
    `An organization can have at most ${LIVE_TOKENS_PER_ORGANIZATION_MAX} live tokens. Revoke one first.`,
  )
}

export function assertRotatable({ isLive }: { readonly isLive: boolean }): void {
  if (isLive) return
  throw refused('token_not_live', 'The token is revoked or expired. Create a new token instead.')
}

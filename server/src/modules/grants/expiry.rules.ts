import { refused } from '../../kernel/errors.ts'

const LIFETIME_YEARS_MAX = 10

/** The earlier of two timestamps in the format of the API, which sorts as text. Null means no expiry. */
export function earlierExpiry<Time extends string>(a: Time, b: Time | null): Time
export function earlierExpiry<Time extends string>(a: Time | null, b: Time | null): Time | null
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

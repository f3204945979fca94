/**
 * The cookie of a session: `rls_` and 256 random bits. It names no organization, because a person may belong to
 * several.
 */
import { createHash, randomBytes } from 'node:crypto'

export const SESSION_COOKIE = '__Host-reelkeep-session'

const inCookies = /(?:^|; *)__Host-reelkeep-session=(rls_[\w-]{43})(?:;|$)/

export const newSessionText = () => `rls_${randomBytes(32).toString('base64url')}`

/** The session in a `Cookie` header. Does not check that it exists. */
export const sessionInCookie = (header: string | undefined): string | undefined =>
  header === undefined ? undefined : inCookies.exec(header)?.[1]

/** Hash of a session's cookie, the only form in which it is stored. */
export const hashOfSession = (text: string): Buffer => createHash('sha256').update(text).digest()

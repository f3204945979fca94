/** The cookies of sign-in. The prefix `__Host-` makes browsers accept them only from this host and over HTTPS. */
import { createHash, randomBytes } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { SESSION_COOKIE } from '../../platform/http/access/session-cookie.ts'

const attributes = 'Path=/; Secure; HttpOnly; SameSite=Lax'

export function setSessionCookie(reply: FastifyReply, text: string, lifetimeSeconds: number): void {
  reply.header('Set-Cookie', `${SESSION_COOKIE}=${text}; Max-Age=${lifetimeSeconds}; ${attributes}`)
}

export function clearSessionCookie(reply: FastifyReply): void {
  reply.header('Set-Cookie', `${SESSION_COOKIE}=; Max-Age=0; ${attributes}`)
}

/** Identifies the browser while it signs in: only the browser that began a sign-in can complete it. */
const BROWSER_COOKIE = '__Host-reelkeep-browser'
const inCookies = /(?:^|; *)__Host-reelkeep-browser=([\w-]{43})(?:;|$)/

/** Hash of the browser's cookie; undefined if it has none. */
export function browserHash({ headers: { cookie = '' } }: FastifyRequest): Buffer | undefined {
  const text = inCookies.exec(cookie)?.[1]
  return text === undefined ? undefined : hashOf(text)
}

/** Like `browserHash`. Gives the browser a cookie if it has none. */
export function ensureBrowserHash(request: FastifyRequest, reply: FastifyReply, lifetimeSeconds: number): Buffer {
  const text = inCookies.exec(request.headers.cookie ?? '')?.[1] ?? randomBytes(32).toString('base64url')
  reply.header('Set-Cookie', `${BROWSER_COOKIE}=${text}; Max-Age=${lifetimeSeconds}; ${attributes}`)
  return hashOf(text)
}

const hashOf = (text: string) => createHash('sha256').update(text).digest()

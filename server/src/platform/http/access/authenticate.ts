import type { FastifyReply, FastifyRequest } from 'fastify'
import { refused } from '../../../kernel/errors.ts'
import type { OrganizationId } from '../../../kernel/ids.ts'
import { type Principal, tokenInHeader } from './principal.ts'
import type { PrincipalCache } from './principal-cache.ts'
import type { FailureLimit } from './rate-limits/failure-limit.ts'
import type { RequestLimits } from './rate-limits/request-limits.ts'
import { assertSameOrigin } from './same-origin.ts'
import { sessionInCookie } from './session-cookie.ts'

/** The cookie of a session, used for an organization. */
export type SessionUse = { readonly text: string; readonly organizationId: OrganizationId }

type Principals<Credential> = Pick<PrincipalCache<Credential>, 'fromCache' | 'isCached' | 'find'>

export type Authentication = {
  readonly tokens: Principals<string>
  readonly sessions: Principals<SessionUse>
  readonly requests: RequestLimits
  /** Requests without a valid credential. */
  readonly failures: FailureLimit
  /** Origin of the pages whose requests may use a session. */
  readonly origin: string
}

/**
 * Verifies that the token or the session is valid for the organization in the path, and applies the rate limits. A
 * cookie only counts if the request has no `Authorization` header.
 */
export function authenticate({ tokens, sessions, requests, failures, origin }: Authentication) {
  const withToken = finder(tokens, failures, unknownToken)
  const withSession = finder(sessions, failures, unknownSession)
  return async (request: FastifyRequest, reply: FastifyReply): Promise<Principal> => {
    const { organization_id } = request.params as { organization_id: OrganizationId }
    const { authorization, cookie } = request.headers
    const session = authorization === undefined ? sessionInCookie(cookie) : undefined
    const principal = await (session === undefined
      ? withToken(tokenInHeader(authorization), request, reply)
      : withSession({ text: session, organizationId: organization_id }, request, reply))
    if (session !== undefined) assertOwnPage(request, principal, origin)
    await requests.begin(principal, request, reply)
    if (organization_id === principal.organizationId) return principal
    throw refused(
      'organization_not_found',
      'The organization does not exist, or the token belongs to another one. Check the organization id in the path.',
    )
  }
}

/** Throws for a request of another site. The principal is set first, so that the refusal is in the audit log. */
function assertOwnPage(request: FastifyRequest, principal: Principal, origin: string): void {
  request.principal = principal
  assertSameOrigin(request, origin)
}

/** The secret that a request authenticates with. */
export const secretOf = ({ headers: { authorization, cookie } }: FastifyRequest): string | undefined =>
  authorization === undefined ? sessionInCookie(cookie) : tokenInHeader(authorization)

/** Looks a credential up within the limit of failures. Other clients at the same address do not affect cached ones. */
function finder<Credential>(principals: Principals<Credential>, failures: FailureLimit, unknown: () => Error) {
  return async (credential: Credential | undefined, { ip }: FastifyRequest, reply: FastifyReply) => {
    const cached = credential === undefined ? undefined : principals.fromCache(credential)
    if (cached) return cached
    const find = async () => {
      const found = credential === undefined ? undefined : await principals.find(credential)
      if (!found) throw unknown()
      return found
    }
    if (credential !== undefined && principals.isCached(credential)) return find()
    return failures.attempt({ ip, reply }, find, { codes: ['unauthenticated'] })
  }
}

const unknownToken = () =>
  refused(
    'unauthenticated',
    'The token is missing, malformed, unknown, revoked or expired. Send "Authorization: token <API_TOKEN>".',
  )

const unknownSession = () => refused('unauthenticated', 'The session has ended. Sign in again.')

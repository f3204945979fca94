import type { FastifyReply, FastifyRequest } from 'fastify'
import { refused } from '../../../kernel/errors.ts'
import type { FailureLimit } from './failure-limit.ts'
import { type Principal, tokenInHeader } from './principal.ts'
import type { RequestLimits } from './request-limits.ts'

/** Verifies API tokens. */
export type TokenVerifier = {
  /** Returns the caller of a recently used token from the cache. */
  fromCache(token: string): Principal | undefined
  /** Whether the token was valid at an earlier lookup. */
  isCached(token: string): boolean
  /** Throws `unauthenticated` unless the token is valid. */
  find(token: string | undefined): Promise<Principal>
}

export type AccessLimits = {
  readonly requests: RequestLimits
  /** Requests without a valid token. */
  readonly failures: FailureLimit
}

/** Verifies that the token is valid for the organization in the path, and applies the rate limits. */
export function authenticate(tokenVerifier: TokenVerifier, { requests, failures }: AccessLimits) {
  const identify = tokenLookup(tokenVerifier, failures)
  return async (request: FastifyRequest, reply: FastifyReply): Promise<Principal> => {
    const token = tokenInHeader(request.headers.authorization)
    const principal = (token && tokenVerifier.fromCache(token)) || (await identify(token, request, reply))
    await requests.begin(principal, request, reply)
    const { organization_id } = request.params as { organization_id: string }
    if (organization_id === principal.organizationId) return principal
    throw refused(
      'organization_not_found',
      'The organization does not exist, or the token belongs to another one. Check the organization id in the path.',
    )
  }
}

/** Looks a token up within the limit of failures. Cached tokens are not affected by other clients at their address. */
function tokenLookup(tokenVerifier: TokenVerifier, failures: FailureLimit) {
  return (token: string | undefined, { ip }: FastifyRequest, reply: FastifyReply): Promise<Principal> => {
    const find = () => tokenVerifier.find(token)
    if (token !== undefined && tokenVerifier.isCached(token)) return find()
    return failures.attempt({ ip, reply }, find, { codes: ['unauthenticated'] })
  }
}

import type { FastifyReply, FastifyRequest } from 'fastify'
import { DomainError, refused } from '../../../kernel/errors.ts'
import { type Principal, tokenInHeader } from './principal.ts'
import { assertAllowed, type RateLimits, tooManyRequests } from './rate-limit.ts'

/** Verifies API tokens. */
export type TokenVerifier = {
  /** Returns the caller of a recently used token from the cache. */
  fromCache(token: string): Principal | undefined
  /** Whether the token was valid at an earlier lookup. */
  isCached(token: string): boolean
  /** Throws `unauthenticated` unless the token is valid. */
  find(token: string | undefined): Promise<Principal>
}

/** Verifies that the token is valid for the organization in the path, and applies the rate limits. */
export function authenticate(tokenVerifier: TokenVerifier, limits: RateLimits) {
  const identify = tokenLookup(tokenVerifier, limits)
  return async (request: FastifyRequest, reply: FastifyReply): Promise<Principal> => {
    const token = tokenInHeader(request.headers.authorization)
    const principal = (token && tokenVerifier.fromCache(token)) || (await identify(token, request.ip))
    const allowance = await limits.countRequest(principal.organizationId)
    reply.header('RateLimit-Policy', limits.policy)
    reply.header('RateLimit', `"organization";r=${allowance.remaining};t=${allowance.resetSeconds}`)
    assertAllowed(allowance)
    const { organization_id } = request.params as { organization_id: string }
    if (organization_id === principal.organizationId) return principal
    throw refused(
      'organization_not_found',
      'The organization does not exist, or the token belongs to another one. Check the organization id in the path.',
    )
  }
}

/**
 * Requests without a valid token are counted per IP address, to slow down guessing. Beyond the limit, only one lookup
 * runs at a time per address: the other requests cost no database query, and a client with a new valid token can still
 * be authenticated. Cached tokens are not affected by other clients at the same address.
 */
function tokenLookup(tokenVerifier: TokenVerifier, limits: RateLimits) {
  const ipsInLookup = new Set<string>()
  return async (token: string | undefined, ip: string): Promise<Principal> => {
    const lookUp = () => findOrCount(tokenVerifier, limits, token, ip)
    if (token && tokenVerifier.isCached(token)) return lookUp()
    if (!(await limits.isAnonymousAtLimit(ip))) return lookUp()
    // The client may retry after one second, not after the rest of the rate limit's window, because a lookup is short.
    if (ipsInLookup.has(ip)) throw tooManyRequests(1)
    ipsInLookup.add(ip)
    return lookUp().finally(() => ipsInLookup.delete(ip))
  }
}

async function findOrCount(
  tokenVerifier: TokenVerifier,
  limits: RateLimits,
  token: string | undefined,
  ip: string,
): Promise<Principal> {
  try {
    return await tokenVerifier.find(token)
  } catch (error) {
    if (error instanceof DomainError && error.code === 'unauthenticated') {
      assertAllowed(await limits.countAnonymous(ip))
    }
    throw error
  }
}

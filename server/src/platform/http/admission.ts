import type { FastifyReply, FastifyRequest } from 'fastify'
import { DomainError, refused } from '../../kernel/errors.ts'
import { type Principal, tokenInHeader } from './authentication.ts'
import { assertAllowed, type RateLimits } from './rate-limit.ts'

/** Refuses all but a live token. */
type Authenticate = (token: string | undefined) => Principal | Promise<Principal>

/**
 * Lets a request in that carries a valid token of the organization in its path, and not too many of them.
 * A caller that cannot authenticate is counted by address, so that guessing is slow.
 */
export function admission(authenticate: Authenticate, limits: RateLimits) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<Principal> => {
    const token = tokenInHeader(request.headers.authorization)
    const claimed = authenticate(token)
    const principal =
      claimed instanceof Promise ? await orCounted(claimed, request, limits) : claimed
    const allowance = await limits.countRequest(principal.organizationId)
    reply.header('RateLimit-Policy', limits.policy)
    reply.header('RateLimit', `"organization";r=${allowance.remaining};t=${allowance.resetSeconds}`)
    assertAllowed(allowance)
    const { organization_id } = request.params as { organization_id: string }
    if (organization_id === principal.organizationId) return principal
    throw refused('organization_not_found', 'No such organization.')
  }
}

async function orCounted(
  claimed: Promise<Principal>,
  request: FastifyRequest,
  limits: RateLimits,
): Promise<Principal> {
  try {
    return await claimed
  } catch (error) {
    if (error instanceof DomainError) assertAllowed(await limits.countStranger(request.ip))
    throw error
  }
}

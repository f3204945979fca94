import type { FastifyReply, FastifyRequest } from 'fastify'
import { DomainError, refused } from '../../kernel/errors.ts'
import { type Principal, tokenInHeader } from './authentication.ts'
import { assertAllowed, type RateLimits } from './rate-limit.ts'

/** Who knows tokens. */
export type Doorkeeper = {
  /** At once, for a token that was in use a moment ago. */
  recall(token: string): Principal | undefined
  /** Refuses all but a live token. */
  find(token: string | undefined): Promise<Principal>
}

/** Lets a request in that carries a valid token of the organization in its path, and not too many of them. */
export function admission(doorkeeper: Doorkeeper, limits: RateLimits) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<Principal> => {
    const token = tokenInHeader(request.headers.authorization)
    const principal =
      (token && doorkeeper.recall(token)) || (await identify(token, request.ip, doorkeeper, limits))
    const allowance = await limits.countRequest(principal.organizationId)
    reply.header('RateLimit-Policy', limits.policy)
    reply.header('RateLimit', `"organization";r=${allowance.remaining};t=${allowance.resetSeconds}`)
    assertAllowed(allowance)
    const { organization_id } = request.params as { organization_id: string }
    if (organization_id === principal.organizationId) return principal
    throw refused('organization_not_found', 'No such organization.')
  }
}

/**
 * Whoever comes without a valid token is counted by address, so that guessing is slow. Who has one is never
 * held up by others at the same address.
 */
async function identify(
  token: string | undefined,
  address: string,
  doorkeeper: Doorkeeper,
  limits: RateLimits,
): Promise<Principal> {
  try {
    return await doorkeeper.find(token)
  } catch (error) {
    if (error instanceof DomainError && error.code === 'unauthenticated') {
      assertAllowed(await limits.countStranger(address))
    }
    throw error
  }
}

import type { FastifyReply, FastifyRequest } from 'fastify'
import { DomainError, refused } from '../../kernel/errors.ts'
import { type Principal, tokenInHeader } from './authentication.ts'
import { assertAllowed, type RateLimits, tooManyRequests } from './rate-limit.ts'

/** Who knows tokens. */
export type Doorkeeper = {
  /** At once, for a token that was in use a moment ago. */
  recall(token: string): Principal | undefined
  /** Whether it was found live before, as far as that is known. */
  isFamiliar(token: string): boolean
  /** Refuses all but a live token. */
  find(token: string | undefined): Promise<Principal>
}

/** Lets a request in that carries a valid token of the organization in its path, and not too many of them. */
export function admission(doorkeeper: Doorkeeper, limits: RateLimits) {
  const identify = identification(doorkeeper, limits)
  return async (request: FastifyRequest, reply: FastifyReply): Promise<Principal> => {
    const token = tokenInHeader(request.headers.authorization)
    const principal = (token && doorkeeper.recall(token)) || (await identify(token, request.ip))
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
 * Whoever comes without a valid token is counted by address, so that guessing is slow. An address that has guessed
 * too often has one token looked up at a time: the rest of its guesses cost the database nothing, and who comes
 * from there with a valid token for the first time gets a turn. Who had one before is never held up by others at
 * the same address.
 */
function identification(doorkeeper: Doorkeeper, limits: RateLimits) {
  const lookedUpFor = new Set<string>()
  return async (token: string | undefined, address: string): Promise<Principal> => {
    const lookUp = () => findOrCount(doorkeeper, limits, token, address)
    if (token && doorkeeper.isFamiliar(token)) return lookUp()
    if (!(await limits.isStrangerAtLimit(address))) return lookUp()
    // A look-up is over in no time; who waits for the minute to end meets the same guesses again.
    if (lookedUpFor.has(address)) throw tooManyRequests(1)
    lookedUpFor.add(address)
    return lookUp().finally(() => lookedUpFor.delete(address))
  }
}

async function findOrCount(
  doorkeeper: Doorkeeper,
  limits: RateLimits,
  token: string | undefined,
  address: string,
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

/** The rate limits of an authenticated request: of its organization and, if configured, of its token. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Principal } from './principal.ts'
import { assertAllowed, type Counted, type RateLimit, reportLimits } from './rate-limit.ts'
import { pointsAtEnd, pointsAtStart } from './request-cost.ts'

export class RequestLimits {
  readonly #organizations: RateLimit
  readonly #tokens: RateLimit | undefined

  constructor(organizations: RateLimit, tokens?: RateLimit) {
    this.#organizations = organizations
    this.#tokens = tokens
  }

  /** Counts a request before its body is received. Throws beyond a limit. */
  async begin(principal: Principal, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const counted = await this.#count(principal, pointsAtStart(request))
    reportLimits(reply, counted)
    for (const { allowance } of counted) assertAllowed(allowance)
  }

  /** Counts what became known later, before the response is sent. */
  async end(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const points = request.principal ? pointsAtEnd(request, performance.now()) : 0
    if (points > 0) reportLimits(reply, await this.#count(request.principal, points))
  }

  async #count({ organizationId, tokenId }: Principal, points: number): Promise<Counted[]> {
    const organization = {
      limit: this.#organizations,
      allowance: await this.#organizations.count(organizationId, points),
    }
    if (!this.#tokens) return [organization]
    return [organization, { limit: this.#tokens, allowance: await this.#tokens.count(tokenId, points) }]
  }
}

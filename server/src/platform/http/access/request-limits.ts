/** The rate limits of an authenticated request: of its organization and, if configured, of its token. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ApiConfig } from '../../config/env.ts'
import type { Database } from '../../db/database.ts'
import type { Logger } from '../../observability/logger.ts'
import { type Counter, memoryCounter, sharedCounter } from './counters.ts'
import type { Principal } from './principal.ts'
import { assertAllowed, type LimitState, type Policy, RateLimit, reportLimits } from './rate-limit.ts'
import { pointsAtEnd, pointsAtStart } from './request-cost.ts'

export type LimitOptions = {
  readonly config: Pick<ApiConfig, 'RATE_LIMIT_PER_MINUTE' | 'RATE_LIMIT_PER_TOKEN_PER_MINUTE' | 'RATE_LIMIT_STORE'>
  readonly database: Database
  readonly logger: Pick<Logger, 'warn'>
}

export function openRequestLimits(options: LimitOptions): RequestLimits {
  const { RATE_LIMIT_PER_MINUTE: perMinute, RATE_LIMIT_PER_TOKEN_PER_MINUTE: perToken } = options.config
  const open = (policy: Policy) => new RateLimit(policy, counterFor(options, policy))
  return new RequestLimits(
    open({ name: 'organization', perMinute }),
    perToken === undefined ? undefined : open({ name: 'token', perMinute: perToken }),
  )
}

function counterFor({ config, database, logger }: LimitOptions, { name, perMinute }: Policy): Counter {
  if (config.RATE_LIMIT_STORE === 'memory') return memoryCounter()
  return sharedCounter({
    ...{ database, prefix: `${name}:`, pointsMax: perMinute },
    onError: (err) => logger.warn({ err }, 'failed to count requests in postgres; counting in memory'),
  })
}

export class RequestLimits {
  readonly #organizations: RateLimit
  readonly #tokens: RateLimit | undefined

  constructor(organizations: RateLimit, tokens?: RateLimit) {
    this.#organizations = organizations
    this.#tokens = tokens
  }

  /**
   * Counts a request before its body is received. Throws beyond a limit. A token beyond its limit uses no points of the
   * organization: its other tokens need them.
   */
  async begin(principal: Principal, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const points = pointsAtStart(request)
    const token = await this.#countToken(principal, points)
    for (const state of token) {
      reportLimits(reply, [state])
      assertAllowed(state.allowance)
    }
    const organization = await this.#countOrganization(principal, points)
    reportLimits(reply, [organization, ...token])
    assertAllowed(organization.allowance)
  }

  /** Counts what became known later, before the response is sent. */
  async end(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    if (!request.principal) return
    const points = pointsAtEnd(request, { nowMs: performance.now(), statusCode: reply.statusCode })
    if (points === 0) return
    const token = await this.#countToken(request.principal, points)
    reportLimits(reply, [await this.#countOrganization(request.principal, points), ...token])
  }

  async #countOrganization({ organizationId }: Principal, points: number): Promise<LimitState> {
    return { limit: this.#organizations, allowance: await this.#organizations.count(organizationId, points) }
  }

  /** Returns an empty list if tokens have no limit. */
  async #countToken({ tokenId }: Principal, points: number): Promise<LimitState[]> {
    if (!this.#tokens) return []
    return [{ limit: this.#tokens, allowance: await this.#tokens.count(tokenId, points) }]
  }
}

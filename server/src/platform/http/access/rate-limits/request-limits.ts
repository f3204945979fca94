/** The rate limits of an authenticated request: of its organization, and of its token if configured. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ApiConfig } from '../../../config/env.ts'
import type { Database } from '../../../db/database.ts'
import type { Logger } from '../../../observability/logger.ts'
import type { Principal } from '../principal.ts'
import { type Counter, memoryCounter, sharedCounter } from './counters.ts'
import { assertAllowed, type LimitState, type Policy, RateLimit, reportLimits } from './rate-limit.ts'
import { pointsAtEnd, pointsAtStart } from './request-cost.ts'

export type LimitOptions = {
  readonly config: Pick<ApiConfig, 'RATE_LIMIT_PER_MINUTE' | 'RATE_LIMIT_PER_TOKEN_PER_MINUTE' | 'RATE_LIMIT_STORE'>
  readonly database: Database
  readonly logger: Pick<Logger, 'warn'>
}

/**
 * Limit of each upload token. Users of a client's web pages have these tokens, and one of them must not use up the
 * limit of the organization. An upload needs one request per part of 16 MiB.
 */
const PER_UPLOAD_TOKEN_PER_MINUTE = 600

export function openRequestLimits(options: LimitOptions): RequestLimits {
  const { RATE_LIMIT_PER_MINUTE: perMinute, RATE_LIMIT_PER_TOKEN_PER_MINUTE: perToken } = options.config
  const open = (policy: Policy) => new RateLimit(policy, counterFor(options, policy))
  return new RequestLimits({
    organizations: open({ name: 'organization', perMinute }),
    tokens: perToken === undefined ? undefined : open({ name: 'token', perMinute: perToken }),
    uploadTokens: open({
      name: 'upload-token',
      perMinute: Math.min(PER_UPLOAD_TOKEN_PER_MINUTE, perToken ?? PER_UPLOAD_TOKEN_PER_MINUTE),
    }),
  })
}

function counterFor({ config, database, logger }: LimitOptions, { name, perMinute }: Policy): Counter {
  if (config.RATE_LIMIT_STORE === 'memory') return memoryCounter()
  return sharedCounter({
    ...{ database, prefix: `${name}:`, pointsMax: perMinute },
    onError: (err) => logger.warn({ err }, 'failed to count requests in postgres; counting in memory'),
  })
}

type Limits = {
  readonly organizations: RateLimit
  readonly tokens: RateLimit | undefined
  readonly uploadTokens: RateLimit
}

export class RequestLimits {
  readonly #limits: Limits

  constructor(limits: Limits) {
    this.#limits = limits
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
    const { organizations: limit } = this.#limits
    return { limit, allowance: await limit.count(organizationId, points) }
  }

  /** Returns an empty list if tokens and members have no limit. */
  async #countToken({ id, uploadSessionUuid }: Principal, points: number): Promise<LimitState[]> {
    const { tokens, uploadTokens } = this.#limits
    const limit = uploadSessionUuid === undefined ? tokens : uploadTokens
    if (!limit) return []
    return [{ limit, allowance: await limit.count(uploadSessionUuid ?? id, points) }]
  }
}

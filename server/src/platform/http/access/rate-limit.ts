import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { retryLater } from '../../../kernel/errors.ts'

const WINDOW_SECONDS = 60

/**
 * Maximum number of failed attempts per IP address. Lower than the limit for requests, because each attempt costs a
 * database lookup.
 */
const FAILED_ATTEMPTS_PER_MINUTE = 60

export type Allowance = {
  readonly isAllowed: boolean
  readonly remaining: number
  readonly resetSeconds: number
}

export type RateLimits = ReturnType<typeof openRateLimits>

/**
 * Rate limits of this process. Each instance behind a load balancer has its own limits: they protect the instance and
 * are not a quota.
 */
export function openRateLimits(requestsPerMinute: number) {
  const organizations = new RateLimiterMemory({
    points: requestsPerMinute,
    duration: WINDOW_SECONDS,
  })
  const anonymousClients = new RateLimiterMemory({
    points: FAILED_ATTEMPTS_PER_MINUTE,
    duration: WINDOW_SECONDS,
  })
  return {
    policy: `"organization";q=${requestsPerMinute};w=${WINDOW_SECONDS}`,
    countRequest: (organizationId: string) => consume(organizations, organizationId),
    /** Counts a request without a valid token from an IP address. */
    countAnonymous: (ip: string) => consume(anonymousClients, ip),
    /** Whether the IP address has no attempts left. */
    isAnonymousAtLimit: async (ip: string) => (await anonymousClients.get(ip))?.remainingPoints === 0,
  }
}

/** Opens a rate limit of this process for arbitrary keys. The returned function throws beyond the limit. */
export function openCounter(perMinute: number): (key: string) => Promise<void> {
  const limiter = new RateLimiterMemory({ points: perMinute, duration: WINDOW_SECONDS })
  return async (key) => assertAllowed(await consume(limiter, key))
}

export function assertAllowed({ isAllowed, resetSeconds }: Allowance): void {
  if (!isAllowed) throw tooManyRequests(resetSeconds)
}

const seconds = (count: number) => (count === 1 ? '1 second' : `${count} seconds`)

export const tooManyRequests = (retryAfterSeconds: number) =>
  retryLater('rate_limited', `Too many requests. Retry in ${seconds(retryAfterSeconds)}.`, retryAfterSeconds)

function consume(limiter: RateLimiterMemory, key: string): Promise<Allowance> {
  return limiter.consume(key).then(
    (left) => toAllowance(left, true),
    (rejection: unknown) => {
      if (rejection instanceof RateLimiterRes) return toAllowance(rejection, false)
      throw rejection
    },
  )
}

const toAllowance = ({ remainingPoints, msBeforeNext }: RateLimiterRes, isAllowed: boolean) => ({
  isAllowed,
  remaining: remainingPoints,
  resetSeconds: Math.max(1, Math.ceil(msBeforeNext / 1000)),
})

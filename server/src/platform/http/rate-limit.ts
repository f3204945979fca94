import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { notNow } from '../../kernel/errors.ts'

const WINDOW_SECONDS = 60

/** A guess at a token costs a database look-up, so guessing is allowed far less often than asking. */
const FAILED_LOGINS_PER_MINUTE = 60

export type Allowance = {
  readonly isAllowed: boolean
  readonly remaining: number
  readonly resetSeconds: number
}

export type RateLimits = ReturnType<typeof openRateLimits>

/**
 * Counts in this process. Behind a balancer each instance allows the limit by itself: it protects an
 * instance from one organization, it is no quota.
 */
export function openRateLimits(requestsPerMinute: number) {
  const organizations = new RateLimiterMemory({
    points: requestsPerMinute,
    duration: WINDOW_SECONDS,
  })
  const strangers = new RateLimiterMemory({
    points: FAILED_LOGINS_PER_MINUTE,
    duration: WINDOW_SECONDS,
  })
  return {
    policy: `"organization";q=${requestsPerMinute};w=${WINDOW_SECONDS}`,
    /** One more request of an organization. */
    countRequest: (organizationId: string) => consume(organizations, organizationId),
    /** One more request without a valid token, from an address. */
    countStranger: (address: string) => consume(strangers, address),
    /** Whether one more such request would be too many. */
    isStrangerAtLimit: async (address: string) =>
      (await strangers.get(address))?.remainingPoints === 0,
  }
}

/** Counts in this process as well, by whatever the caller says; refuses one too many. */
export function openCounter(perMinute: number): (key: string) => Promise<void> {
  const limiter = new RateLimiterMemory({ points: perMinute, duration: WINDOW_SECONDS })
  return async (key) => assertAllowed(await consume(limiter, key))
}

export function assertAllowed({ isAllowed, resetSeconds }: Allowance): void {
  if (!isAllowed) throw tooManyRequests(resetSeconds)
}

export const tooManyRequests = (retryAfterSeconds: number) =>
  notNow('rate_limited', `Too many requests. Go on in ${retryAfterSeconds} s.`, retryAfterSeconds)

function consume(limiter: RateLimiterMemory, key: string): Promise<Allowance> {
  return limiter.consume(key).then(
    (left) => toAllowance(left, true),
    (refusal: unknown) => {
      if (refusal instanceof RateLimiterRes) return toAllowance(refusal, false)
      throw refusal
    },
  )
}

const toAllowance = ({ remainingPoints, msBeforeNext }: RateLimiterRes, isAllowed: boolean) => ({
  isAllowed,
  remaining: remainingPoints,
  resetSeconds: Math.max(1, Math.ceil(msBeforeNext / 1000)),
})

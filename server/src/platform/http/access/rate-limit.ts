/** Rate limits in windows of a minute, and the headers that report them (draft-ietf-httpapi-ratelimit-headers). */
import type { FastifyReply } from 'fastify'
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { retryLater } from '../../../kernel/errors.ts'

const WINDOW_SECONDS = 60

export type Allowance = {
  readonly isAllowed: boolean
  readonly remaining: number
  readonly resetSeconds: number
}

/** Name, as in the headers, and maximum of a rate limit. */
type Policy = { readonly name: string; readonly perMinute: number }

/** A rate limit for arbitrary keys, counted by this process. */
export class RateLimit {
  readonly #policy: Policy
  readonly #limiter: RateLimiterMemory

  constructor(policy: Policy) {
    this.#policy = policy
    this.#limiter = new RateLimiterMemory({ points: policy.perMinute, duration: WINDOW_SECONDS })
  }

  /** Counts one request. It is allowed if the limit was not reached before. */
  count(key: string): Promise<Allowance> {
    return this.#limiter.consume(key).then(
      (left) => toAllowance(left, true),
      (rejection: unknown) => {
        if (rejection instanceof RateLimiterRes) return toAllowance(rejection, false)
        throw rejection
      },
    )
  }

  /** The state of a key, without counting. */
  async read(key: string): Promise<Allowance> {
    const counted = await this.#limiter.get(key)
    if (counted) return toAllowance(counted, counted.remainingPoints > 0)
    return { isAllowed: true, remaining: this.#policy.perMinute, resetSeconds: WINDOW_SECONDS }
  }

  /** Sets the RateLimit headers of a response. */
  report(reply: FastifyReply, { remaining, resetSeconds }: Allowance): void {
    const { name, perMinute } = this.#policy
    reply.header('RateLimit-Policy', `"${name}";q=${perMinute};w=${WINDOW_SECONDS}`)
    reply.header('RateLimit', `"${name}";r=${remaining};t=${resetSeconds}`)
  }
}

/** Opens a rate limit of this process for arbitrary keys. The returned function throws beyond the limit. */
export function openCounter(perMinute: number): (key: string) => Promise<void> {
  const limit = new RateLimit({ name: 'requests', perMinute })
  return async (key) => assertAllowed(await limit.count(key))
}

export function assertAllowed({ isAllowed, resetSeconds }: Allowance): void {
  if (!isAllowed) throw tooManyRequests('Too many requests.', resetSeconds)
}

const seconds = (count: number) => (count === 1 ? '1 second' : `${count} seconds`)

/** `problem` is a sentence that says what there is too much of. */
export const tooManyRequests = (problem: string, retryAfterSeconds: number) =>
  retryLater('rate_limited', `${problem} Retry in ${seconds(retryAfterSeconds)}.`, retryAfterSeconds)

const toAllowance = ({ remainingPoints, msBeforeNext }: RateLimiterRes, isAllowed: boolean) => ({
  isAllowed,
  remaining: remainingPoints,
  resetSeconds: Math.max(1, Math.ceil(msBeforeNext / 1000)),
})

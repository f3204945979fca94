/** Rate limits in windows of a minute, and the headers that report them (draft-ietf-httpapi-ratelimit-headers). */
import type { FastifyReply } from 'fastify'
import { retryLater } from '../../../../kernel/errors.ts'
import { type Counter, memoryCounter, WINDOW_SECONDS } from './counters.ts'

export type Allowance = {
  readonly isAllowed: boolean
  readonly remaining: number
  readonly resetSeconds: number
}

/** Name, as in the headers, and maximum of a rate limit. */
export type Policy = { readonly name: string; readonly perMinute: number }

/** A rate limit for arbitrary keys. */
export class RateLimit {
  readonly policy: Policy
  readonly #counter: Counter

  constructor(policy: Policy, counter: Counter = memoryCounter()) {
    this.policy = policy
    this.#counter = counter
  }

  /** Counts a request. It is allowed if the limit was not reached before, however many points it uses. */
  async count(key: string, points = 1): Promise<Allowance> {
    const { perMinute } = this.policy
    const counted = await this.#counter.add(key, points)
    return {
      isAllowed: counted.points - points < perMinute,
      remaining: Math.max(0, perMinute - counted.points),
      resetSeconds: counted.resetSeconds,
    }
  }
}

/** A limit with the allowance of a client. */
export type LimitState = { readonly limit: RateLimit; readonly allowance: Allowance }

/** Sets the RateLimit headers of a response. */
export function reportLimits(reply: FastifyReply, states: readonly LimitState[]): void {
  const policies = states.map(({ limit: { policy } }) => `"${policy.name}";q=${policy.perMinute};w=${WINDOW_SECONDS}`)
  const allowances = states.map(
    ({ limit, allowance }) => `"${limit.policy.name}";r=${allowance.remaining};t=${allowance.resetSeconds}`,
  )
  reply.header('RateLimit-Policy', policies.join(', '))
  reply.header('RateLimit', allowances.join(', '))
}

/**
 * Opens a rate limit of this process for arbitrary keys. The returned function counts a request; beyond the limit, it
 * sets the RateLimit headers of the response and throws.
 */
export function openCounter(policy: Policy): (key: string, reply: FastifyReply) => Promise<void> {
  const limit = new RateLimit(policy)
  return async (key, reply) => {
    const allowance = await limit.count(key)
    if (!allowance.isAllowed) reportLimits(reply, [{ limit, allowance }])
    assertAllowed(allowance)
  }
}

export function assertAllowed({ isAllowed, resetSeconds }: Allowance): void {
  if (!isAllowed) throw tooManyRequests('Too many requests.', resetSeconds)
}

const seconds = (count: number) => (count === 1 ? '1 second' : `${count} seconds`)

/** `problem` is a sentence that says what there is too much of. */
export const tooManyRequests = (problem: string, retryAfterSeconds: number) =>
  retryLater('rate_limited', `${problem} Retry in ${seconds(retryAfterSeconds)}.`, retryAfterSeconds)

/**
 * Limits failed requests of clients without a valid credential, by network address, to slow down guessing and to bound
 * the database queries of requests that find nothing.
 *
 * Beyond the limit, requests of the address are processed one at a time, so that a valid credential still works: many
 * clients may share one address.
 */
import type { ErrorCode } from '@reelkeep/contract'
import type { FastifyReply } from 'fastify'
import { DomainError } from '../../../../kernel/errors.ts'
import { clientNetwork } from '../../../network/client-network.ts'
import { FairQueue } from '../../../threads/fair-queue.ts'
import { RateLimit, reportLimits, tooManyRequests } from './rate-limit.ts'

type FailureLimitOptions = {
  /** Name of the limit in the RateLimit headers. */
  readonly name: string
  readonly perMinute: number
  /** First sentence of the 429 error, such as `Too many requests.` */
  readonly problem: string
}

type Client = { readonly ip: string; readonly reply: FastifyReply }

/** Which outcomes count as failures: errors with these codes, and results. */
type Outcome<Result> = {
  readonly codes: readonly ErrorCode[]
  readonly isFailure?: (result: Result) => boolean
}

type Attempt<Result> = { readonly work: () => Promise<Result>; readonly outcome: Outcome<Result> }

/** Maximum number of requests of an address beyond the limit, in progress and waiting. */
const WAITING_MAX = 32

export class FailureLimit {
  readonly #limit: RateLimit
  readonly #problem: string
  /** Requests of addresses beyond the limit. */
  readonly #queue = new FairQueue({ runningMax: Infinity, runningPerKeyMax: 1, tasksPerKeyMax: WAITING_MAX })

  constructor({ name, perMinute, problem }: FailureLimitOptions) {
    this.#limit = new RateLimit({ name, perMinute })
    this.#problem = problem
  }

  /**
   * Does the work of a request that may turn out to be a failure. Throws `rate_limited` instead of a failure beyond the
   * limit, and without doing the work if too many requests of the address are waiting.
   */
  async attempt<Result>(client: Client, work: () => Promise<Result>, outcome: Outcome<Result>): Promise<Result> {
    const key = clientNetwork(client.ip)
    const allowance = await this.#limit.count(key, 0)
    const counted = () => this.#countFailure(key, client, { work, outcome })
    if (allowance.isAllowed) return counted()
    const queued = this.#queue.run(key, counted)
    if (queued) return queued
    reportLimits(client.reply, [{ limit: this.#limit, allowance }])
    // The client may retry after one second, not after the rest of the window, because a request is short.
    throw tooManyRequests(this.#problem, 1)
  }

  /** Does the work and counts it if it is a failure. */
  async #countFailure<Result>(key: string, { reply }: Client, { work, outcome }: Attempt<Result>): Promise<Result> {
    try {
      const result = await work()
      if (outcome.isFailure?.(result)) await this.#count(key, reply)
      return result
    } catch (error) {
      if (error instanceof DomainError && outcome.codes.includes(error.code)) await this.#count(key, reply)
      throw error
    }
  }

  async #count(key: string, reply: FastifyReply): Promise<void> {
    const allowance = await this.#limit.count(key)
    reportLimits(reply, [{ limit: this.#limit, allowance }])
    if (!allowance.isAllowed) throw tooManyRequests(this.#problem, allowance.resetSeconds)
  }
}

/**
 * Limits failed requests of clients without a valid credential, by network address, to slow down guessing and to bound
 * the database queries of requests that find nothing.
 *
 * Beyond the limit, requests of the address are processed one at a time, so that a valid credential still works: many
 * clients may share one address.
 */
import type { ErrorCode } from '@reelkeep/contract'
import type { FastifyReply } from 'fastify'
import { DomainError } from '../../../kernel/errors.ts'
import { clientNetwork } from '../../network/client-network.ts'
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

export class FailureLimit {
  readonly #limit: RateLimit
  readonly #problem: string
  readonly #inProgress = new Set<string>()

  constructor({ name, perMinute, problem }: FailureLimitOptions) {
    this.#limit = new RateLimit({ name, perMinute })
    this.#problem = problem
  }

  /**
   * Does the work of a request that may turn out to be a failure. Throws `rate_limited` instead of a failure beyond the
   * limit, and without doing the work if another request of the address is in progress.
   */
  async attempt<Result>(client: Client, work: () => Promise<Result>, outcome: Outcome<Result>): Promise<Result> {
    const key = clientNetwork(client.ip)
    const end = await this.#begin(key, client.reply)
    try {
      const result = await work()
      if (outcome.isFailure?.(result)) await this.#count(key, client.reply)
      return result
    } catch (error) {
      if (error instanceof DomainError && outcome.codes.includes(error.code)) await this.#count(key, client.reply)
      throw error
    } finally {
      end()
    }
  }

  /** Returns a function to call when the request is done. */
  async #begin(key: string, reply: FastifyReply): Promise<() => void> {
    const allowance = await this.#limit.count(key, 0)
    if (allowance.isAllowed) return () => {}
    if (this.#inProgress.has(key)) {
      reportLimits(reply, [{ limit: this.#limit, allowance }])
      // The client may retry after one second, not after the rest of the window, because a request is short.
      throw tooManyRequests(this.#problem, 1)
    }
    this.#inProgress.add(key)
    return () => this.#inProgress.delete(key)
  }

  async #count(key: string, reply: FastifyReply): Promise<void> {
    const allowance = await this.#limit.count(key)
    reportLimits(reply, [{ limit: this.#limit, allowance }])
    if (!allowance.isAllowed) throw tooManyRequests(this.#problem, allowance.resetSeconds)
  }
}

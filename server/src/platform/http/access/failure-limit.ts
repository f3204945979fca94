/**
 * Limits failed requests of clients without a valid credential, by network address, to slow down guessing and to bound
 * the database queries of requests that find nothing.
 *
 * Beyond the limit, requests of the address are processed one at a time, so that a valid credential still works: many
 * clients may share one address.
 */
import type { FastifyReply } from 'fastify'
import { clientNetwork } from '../../network/client-network.ts'
import { RateLimit, tooManyRequests } from './rate-limit.ts'

type FailureLimitOptions = {
  /** Name of the limit in the RateLimit headers. */
  readonly name: string
  readonly perMinute: number
  /** A sentence that says what there are too many of. */
  readonly problem: string
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
   * Throws if the address is at its limit and another of its requests is in progress. Call the returned function when
   * the request is done.
   */
  async begin(ip: string, reply: FastifyReply): Promise<() => void> {
    const key = clientNetwork(ip)
    const allowance = await this.#limit.read(key)
    if (allowance.isAllowed) return () => {}
    if (this.#inProgress.has(key)) {
      this.#limit.report(reply, allowance)
      // The client may retry after one second, not after the rest of the window, because a request is short.
      throw tooManyRequests(this.#problem, 1)
    }
    this.#inProgress.add(key)
    return () => this.#inProgress.delete(key)
  }

  /** Counts a failed request. Throws beyond the limit. */
  async count(ip: string, reply: FastifyReply): Promise<void> {
    const allowance = await this.#limit.count(clientNetwork(ip))
    this.#limit.report(reply, allowance)
    if (!allowance.isAllowed) throw tooManyRequests(this.#problem, allowance.resetSeconds)
  }
}

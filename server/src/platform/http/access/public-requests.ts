/**
 * Limits requests of the public routes (`/play`, `/play-access`, `/embed`, `/oembed`) that find nothing, by network
 * address. Each of them costs a database query, and URLs can be invented.
 *
 * Requests that succeed are not limited: a viewer fetches several media files per second, and a whole school may share
 * one address. A video that was delivered recently stays available to an address beyond its limit.
 *
 * Requests of edges to `/play-access` have a count of their own, because an edge repeats a refused request at `/play`.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import { FailureLimit } from './rate-limits/failure-limit.ts'

/** Maximum number of remembered videos, each with a playback token. */
const DELIVERED_MAX = 10_000
const DELIVERED_SECONDS = 600

export type PublicRequest = {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly video: PublicVideo
  /** Whether an edge asks on behalf of a viewer. */
  readonly isFromEdge?: boolean
}

/** A video in a public URL. */
export type PublicVideo = {
  /** The playback token, or `open`. */
  readonly token: string
  readonly organizationId: string
  readonly assetId: string
}

export class PublicRequests {
  readonly #viewerFailures: FailureLimit
  readonly #edgeFailures: FailureLimit
  readonly #delivered = new LRUCache<string, true>({ max: DELIVERED_MAX, ttl: DELIVERED_SECONDS * 1000 })

  constructor(perMinute: number) {
    const options = {
      name: 'failed-playback',
      perMinute,
      problem: 'Too many requests for videos that do not exist or are not accessible, from this IP address.',
    }
    this.#viewerFailures = new FailureLimit(options)
    this.#edgeFailures = new FailureLimit(options)
  }

  /** Does the work of a request. `isFailure` decides whether a result counts as a failure. */
  async run<Result>(
    { request: { ip }, reply, video, isFromEdge }: PublicRequest,
    work: () => Promise<Result>,
    isFailure: (result: Result) => boolean = () => false,
  ): Promise<Result> {
    const name = `${video.token}/${video.organizationId}/${video.assetId}`
    if (this.#delivered.has(name)) return work()
    const outcome = { codes: ['not_found', 'playback_denied'] as const, isFailure }
    const failures = isFromEdge ? this.#edgeFailures : this.#viewerFailures
    const result = await failures.attempt({ ip, reply }, work, outcome)
    if (!isFailure(result)) this.#delivered.set(name, true)
    return result
  }
}

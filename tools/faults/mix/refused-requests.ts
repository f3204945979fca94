/** Requests that must be refused and leave nothing: invalid ones, and ones for resources of another organization. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Endpoint, LoadConnection, type LoadRequest, RateLimiter } from '../../drills/load/load-connection.ts'
import { LoadRecord } from '../../drills/load/load-record.ts'
import { Chance } from '../support/random.ts'

/** Every title in these requests starts with this word. */
export const REFUSED_TITLE = 'Refused'

type Organization = { readonly organizationId: string; readonly token: string }

export type RefusedOptions = {
  readonly api: Endpoint
  /** The organization of the load, with its record. */
  readonly owner: Organization
  readonly record: LoadRecord
  /** Another organization, whose token must not reach the first one. */
  readonly stranger: Organization
  readonly seed: number
}

const PAUSE_MILLISECONDS = 500
const RETRY_SECONDS = 600

export class RefusedRequests {
  /** Numbers of refused requests. */
  readonly counts = { invalid: 0, foreign: 0 }
  /** Requests that were not refused, or with another status than expected. */
  readonly violations: string[] = []
  readonly #options: RefusedOptions
  readonly #chance: Chance
  readonly #connection: LoadConnection
  readonly #stopping = new AbortController()
  readonly #running: Promise<void>
  #number = 0

  constructor(options: RefusedOptions) {
    this.#options = options
    this.#chance = new Chance(options.seed)
    this.#connection = new LoadConnection(options.api, {
      rateLimiter: new RateLimiter(10),
      record: new LoadRecord(options.owner.organizationId),
      retrySeconds: RETRY_SECONDS,
      stopSignal: this.#stopping.signal,
    })
    this.#running = this.#run()
    this.#running.catch(() => undefined)
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#running
    this.#connection[Symbol.dispose]()
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping
    while (!signal.aborted) {
      await sleep(PAUSE_MILLISECONDS, undefined, { signal }).catch(() => undefined)
      const kind = this.#chance.oneOf(['invalid', 'foreign'] as const)
      const request = kind === 'invalid' ? this.#invalid() : this.#foreign()
      const answer = request && (await this.#connection.sendUntilAnswered(request))
      if (!answer) continue
      this.counts[kind]++
      const isExpected = kind === 'invalid' ? answer.status >= 400 : answer.status === 404
      if (!isExpected) this.violations.push(`${request.method} ${request.path} returned ${answer.status}`)
    }
  }

  #invalid(): LoadRequest {
    const { organizationId, token } = this.#options.owner
    const title = this.#newTitle()
    const [path, body] = this.#chance.oneOf([
      ['folders/', { title, parent: crypto.randomUUID() }],
      ['folders/', { title, parent: null, unknown: true }],
      ['upload-sessions/', { title, resolutions: ['1p'] }],
    ] as const)
    const headers = { ...authorization(token), 'idempotency-key': crypto.randomUUID() }
    return { kind: 'write', method: 'POST', path: `/api/v1/${organizationId}/assets/${path}`, headers, body }
  }

  /** A request with the stranger's token: below the other organization, or with its id below the own one. */
  #foreign(): LoadRequest | undefined {
    const { owner, stranger, record } = this.#options
    const { folders, assets } = record
    if (folders.length === 0 || assets.length === 0) return undefined
    const path = this.#chance.isTrue(0.5)
      ? `assets/folders/${this.#chance.oneOf(folders).uuid}/`
      : `assets/${this.#chance.oneOf(assets).id}/`
    const { organizationId } = this.#chance.oneOf([owner, stranger])
    const method = this.#chance.oneOf(['GET', 'PATCH', 'DELETE'] as const)
    const body = method === 'PATCH' ? { title: this.#newTitle() } : undefined
    const headers = authorization(stranger.token)
    return { kind: 'write', method, path: `/api/v1/${organizationId}/${path}`, headers, body }
  }

  #newTitle(): string {
    return `${REFUSED_TITLE} ${++this.#number}`
  }
}

const authorization = (token: string) => ({ authorization: `token ${token}` })

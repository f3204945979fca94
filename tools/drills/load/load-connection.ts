/** A load's connection to the service: at a bounded rate, with every failed request recorded and repeated. */
import { Agent as HttpAgent, request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import type { HttpResponse, Method } from '@reelkeep/testkit'
import type { Kind, LoadRecord, RequestError } from './load-record.ts'

export type Endpoint = {
  /** Base URL, evaluated for each request because it may change. */
  readonly baseUrl: () => string
  /** Value of the Host header, if it differs from the host in the URL. */
  readonly host?: string
  /** The trusted certificate, if the URL is https. */
  readonly certificate?: string
}

export type LoadRequest = {
  readonly kind: Kind
  readonly method: Method
  /** Path relative to the root of the server. */
  readonly path: string
  readonly headers?: Record<string, string>
  readonly body?: unknown
}

export type LoadAnswer = HttpResponse & {
  readonly bytes: number
  /** An earlier attempt had no definite response, so it may take effect later. */
  readonly isRepeated?: boolean
}

/** Timeout of a request, longer than any response of the service takes. */
const ANSWER_SECONDS_MAX = 40
const SOCKETS_MAX = 32
/** Delay before a retry. It is shorter than `Retry-After`, so that the load continues soon after an outage. */
const PAUSE_MILLISECONDS = 200
/** Time after which an idempotency key in use counts as a failure; processing any request takes less time. */
const IN_USE_SECONDS_MAX = 5

/** Limits the rate of requests; unused capacity does not accumulate. */
export class RateLimiter {
  readonly #gapMilliseconds: number
  #next = 0

  constructor(perSecond: number) {
    this.#gapMilliseconds = 1000 / perSecond
  }

  async wait(signal?: AbortSignal): Promise<void> {
    const at = Math.max(performance.now(), this.#next)
    this.#next = at + this.#gapMilliseconds
    await sleep(Math.max(0, at - performance.now()), undefined, { signal }).catch(() => undefined)
  }
}

type ConnectionOptions = {
  readonly rateLimiter: RateLimiter
  readonly record: LoadRecord
  readonly retrySeconds: number
  readonly stopSignal: AbortSignal
}

export class LoadConnection implements Disposable {
  readonly #endpoint: Endpoint
  readonly #options: ConnectionOptions
  readonly #agents = [
    new HttpAgent({ keepAlive: true, maxSockets: SOCKETS_MAX }),
    new HttpsAgent({ keepAlive: true, maxSockets: SOCKETS_MAX }),
  ] as const

  constructor(endpoint: Endpoint, options: ConnectionOptions) {
    this.#endpoint = endpoint
    this.#options = options
  }

  /**
   * Repeats a failed request unchanged, with the same Idempotency-Key. Returns undefined after the time limit, with an
   * unknown result. A 4xx counts as a response.
   */
  async sendUntilAnswered(request: LoadRequest): Promise<LoadAnswer | undefined> {
    const { record, retrySeconds, stopSignal } = this.#options
    const [firstSentAt, deadline] = [Date.now(), performance.now() + retrySeconds * 1000]
    let inUseSince: number | undefined
    let isRepeated = false
    while (performance.now() < deadline && !stopSignal.aborted) {
      const outcome = await this.#attempt(request)
      if (outcome && !isInUse(outcome)) return { ...outcome, isRepeated }
      isRepeated = true
      inUseSince = outcome && (inUseSince ?? performance.now())
      if (outcome && isTooLong(inUseSince)) {
        this.recordFailure(request, outcome)
        inUseSince = undefined
      }
      await sleep(PAUSE_MILLISECONDS, undefined, { signal: stopSignal }).catch(() => undefined)
    }
    record.unanswered.push({
      request: `${request.method} ${request.path}`,
      firstSentAt,
      at: Date.now(),
    })
    return undefined
  }

  async #attempt(request: LoadRequest): Promise<LoadAnswer | undefined> {
    const { record, rateLimiter, stopSignal } = this.#options
    await rateLimiter.wait(stopSignal)
    const sentAt = Date.now()
    const answer = await this.#read(request).catch((error: unknown) => new Error(String(error)))
    const error = errorOf(request, sentAt, answer)
    if (error) record.addError(error)
    if (error || answer instanceof Error) return undefined
    // If the idempotency key is in use, an earlier attempt is in progress. This does not count as a response.
    if (!isInUse(answer)) record.answeredAt[request.kind].push(Date.now())
    return answer
  }

  /** Sends once, without recording the result. */
  async send(request: Omit<LoadRequest, 'kind'>): Promise<LoadAnswer | undefined> {
    return await this.#read(request).catch(() => undefined)
  }

  /** Records an unexpected response as a failure. */
  recordFailure({ kind, method, path }: LoadRequest, { status, text }: LoadAnswer): void {
    const request = `${method} ${path}`
    const [at, detail] = [Date.now(), text.slice(0, DETAIL_LENGTH_MAX)]
    const error = { kind, isRefusal: false, sentAt: at, at, request, status, detail }
    this.#options.record.failed.push(error)
  }

  /** Resolves when the headers of the response have arrived; the body is unread. */
  async open(request: Omit<LoadRequest, 'kind'>, signal?: AbortSignal): Promise<IncomingMessage> {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
    const url = new URL(this.#endpoint.baseUrl() + request.path)
    const { host, certificate } = this.#endpoint
    const isSecure = url.protocol === 'https:'
    const body = request.body === undefined ? undefined : JSON.stringify(request.body)
    const sent = (isSecure ? httpsRequest : httpRequest)(url, {
      method: request.method,
      agent: this.#agents[isSecure ? 1 : 0],
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(host && { host }),
        ...request.headers,
      },
      ...(isSecure && { servername: host, ca: certificate }),
      timeout: ANSWER_SECONDS_MAX * 1000,
      ...(signal && { signal }),
    })
    sent.on('timeout', () => sent.destroy(new Error('no response in time')))
    const where = () => (sent.reusedSocket ? 'a reused connection' : 'a new connection')
    sent.on('error', (error) => reject(new Error(`${error.message}, on ${where()}`)))
    sent.on('response', resolve)
    sent.end(body)
    return await promise
  }

  async #read(request: Omit<LoadRequest, 'kind'>): Promise<LoadAnswer> {
    const answer = await this.open(request)
    answer.setEncoding('latin1')
    let text = ''
    for await (const chunk of answer) text += chunk
    const headers = answer.headers as Record<string, string>
    const bytes = Buffer.from(text, 'latin1')
    const status = answer.statusCode ?? 0
    return { status, headers, text: bytes.toString(), bytes: bytes.length }
  }

  [Symbol.dispose](): void {
    for (const agent of this.#agents) agent.destroy()
  }
}

function errorOf(
  { kind, method, path }: LoadRequest,
  sentAt: number,
  answer: LoadAnswer | Error,
): RequestError | undefined {
  const error = { kind, sentAt, at: Date.now(), request: `${method} ${path}` }
  if (answer instanceof Error) {
    return { ...error, isRefusal: false, status: undefined, detail: answer.message }
  }
  const { status, headers, text } = answer
  const isRefused = isRefusal(status, headers)
  if (status < 500 && !isRefused) return undefined
  return { ...error, isRefusal: isRefused, status, detail: text.slice(0, DETAIL_LENGTH_MAX) }
}

/** Whether the response is a temporary error with Retry-After. */
export const isRefusal = (status: number, headers: IncomingHttpHeaders) =>
  (status === 503 || status === 429) && headers['retry-after'] !== undefined

const isTooLong = (since: number | undefined) =>
  since !== undefined && performance.now() - since > IN_USE_SECONDS_MAX * 1000

const DETAIL_LENGTH_MAX = 300

const isInUse = ({ status, text }: HttpResponse) => status === 409 && text.includes('idempotency_key_in_use')

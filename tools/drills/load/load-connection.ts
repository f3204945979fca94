/** A load's connection to the service: at a bounded rate, with every failed request recorded and repeated. */
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Answer, Method } from '@reelkeep/testkit'
import type { Kind, LoadRecord, Trouble } from './load-record.ts'

/** The address of the service. */
export type Door = {
  /** Evaluated for each request, because it may change. */
  readonly baseUrl: () => string
  /** The host name to request, if it differs from the address. */
  readonly host?: string
  /** The trusted certificate, if the address is https. */
  readonly certificate?: string
}

export type Wish = {
  readonly kind: Kind
  readonly method: Method
  /** Relative to the root of the server. */
  readonly path: string
  readonly headers?: Record<string, string>
  readonly body?: unknown
}

export type LoadAnswer = Answer & { readonly bytes: number }

/** Longer than any response of the service takes. */
const ANSWER_SECONDS_MAX = 40
const SOCKETS_MAX = 32
/** Shorter than the service asks for, so that the load notices soon when the outage is over. */
const PAUSE_MILLISECONDS = 200
/** A key is in use while its request is being answered, which takes less time. */
const IN_USE_SECONDS_MAX = 5

/** Turns at a bounded rate. Missed turns are not made up for. */
export class Pacer {
  readonly #gapMilliseconds: number
  #next = 0

  constructor(perSecond: number) {
    this.#gapMilliseconds = 1000 / perSecond
  }

  async turn(signal?: AbortSignal): Promise<void> {
    const at = Math.max(performance.now(), this.#next)
    this.#next = at + this.#gapMilliseconds
    await sleep(Math.max(0, at - performance.now()), undefined, { signal }).catch(() => undefined)
  }
}

type LineOptions = {
  readonly pacer: Pacer
  readonly record: LoadRecord
  readonly patienceSeconds: number
  readonly isOver: AbortSignal
}

export class LoadLine implements Disposable {
  readonly #door: Door
  readonly #options: LineOptions
  readonly #agents = [
    new HttpAgent({ keepAlive: true, maxSockets: SOCKETS_MAX }),
    new HttpsAgent({ keepAlive: true, maxSockets: SOCKETS_MAX }),
  ] as const

  constructor(door: Door, options: LineOptions) {
    this.#door = door
    this.#options = options
  }

  /**
   * Repeats a failed request unchanged, with the same Idempotency-Key. Returns undefined after the time limit, with an
   * unknown result. A 4xx counts as a response.
   */
  async ask(wish: Wish): Promise<LoadAnswer | undefined> {
    const { record, patienceSeconds, isOver } = this.#options
    const [askedAt, deadline] = [Date.now(), performance.now() + patienceSeconds * 1000]
    let inUseSince: number | undefined
    while (performance.now() < deadline && !isOver.aborted) {
      const outcome = await this.#once(wish)
      if (outcome && !isInUse(outcome)) return outcome
      inUseSince = outcome && (inUseSince ?? performance.now())
      if (outcome && isTooLong(inUseSince)) {
        this.fault(wish, outcome)
        inUseSince = undefined
      }
      await sleep(PAUSE_MILLISECONDS, undefined, { signal: isOver }).catch(() => undefined)
    }
    record.givenUp.push({ request: `${wish.method} ${wish.path}`, askedAt, at: Date.now() })
    return undefined
  }

  async #once(wish: Wish): Promise<LoadAnswer | undefined> {
    const { record, pacer, isOver } = this.#options
    await pacer.turn(isOver)
    const sentAt = Date.now()
    const answer = await this.#read(wish).catch((error: unknown) => new Error(String(error)))
    const trouble = troubleOf(wish, sentAt, answer)
    if (trouble) record[trouble.isRefusal ? 'refused' : 'failed'].push(trouble)
    if (trouble || answer instanceof Error) return undefined
    // A key in use means that an earlier attempt is still being answered: neither a response nor, for a while, a
    // failure.
    if (!isInUse(answer)) record.answeredAt[wish.kind].push(Date.now())
    return answer
  }

  /** Sends once, without recording the result. */
  async send(wish: Omit<Wish, 'kind'>): Promise<LoadAnswer | undefined> {
    return await this.#read(wish).catch(() => undefined)
  }

  /** Records an unjustified 4xx response. */
  fault({ kind, method, path }: Wish, { status, text }: LoadAnswer): void {
    const request = `${method} ${path}`
    const [at, detail] = [Date.now(), text.slice(0, DETAIL_LENGTH_MAX)]
    const trouble = { kind, isRefusal: false, sentAt: at, at, request, status, detail }
    this.#options.record.failed.push(trouble)
  }

  /** A response whose headers have arrived and whose body is unread. */
  async open(wish: Omit<Wish, 'kind'>, signal?: AbortSignal): Promise<IncomingMessage> {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
    const url = new URL(this.#door.baseUrl() + wish.path)
    const { host, certificate } = this.#door
    const isSecure = url.protocol === 'https:'
    const body = wish.body === undefined ? undefined : JSON.stringify(wish.body)
    const asking = (isSecure ? httpsRequest : httpRequest)(url, {
      method: wish.method,
      agent: this.#agents[isSecure ? 1 : 0],
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(host && { host }),
        ...wish.headers,
      },
      ...(isSecure && { servername: host, ca: certificate }),
      timeout: ANSWER_SECONDS_MAX * 1000,
      ...(signal && { signal }),
    })
    asking.on('timeout', () => asking.destroy(new Error('no response in time')))
    const where = () => (asking.reusedSocket ? 'a kept connection' : 'a new connection')
    asking.on('error', (error) => reject(new Error(`${error.message}, on ${where()}`)))
    asking.on('response', resolve)
    asking.end(body)
    return await promise
  }

  async #read(wish: Omit<Wish, 'kind'>): Promise<LoadAnswer> {
    const answer = await this.open(wish)
    answer.setEncoding('latin1')
    let text = ''
    for await (const piece of answer) text += piece
    const headers = answer.headers as Record<string, string>
    const bytes = Buffer.from(text, 'latin1')
    const status = answer.statusCode ?? 0
    return { status, headers, text: bytes.toString(), bytes: bytes.length }
  }

  [Symbol.dispose](): void {
    for (const agent of this.#agents) agent.destroy()
  }
}

function troubleOf(wish: Wish, sentAt: number, answer: LoadAnswer | Error): Trouble | undefined {
  const { kind, method, path } = wish
  const met = { kind, sentAt, at: Date.now(), request: `${method} ${path}` }
  if (answer instanceof Error) {
    return { ...met, isRefusal: false, status: undefined, detail: answer.message }
  }
  const { status, headers, text } = answer
  const isRefusal = (status === 503 || status === 429) && headers['retry-after'] !== undefined
  if (status < 500 && !isRefusal) return undefined
  return { ...met, isRefusal, status, detail: text.slice(0, DETAIL_LENGTH_MAX) }
}

const isTooLong = (since: number | undefined) =>
  since !== undefined && performance.now() - since > IN_USE_SECONDS_MAX * 1000

const DETAIL_LENGTH_MAX = 300

const isInUse = ({ status, text }: Answer) =>
  status === 409 && text.includes('idempotency_key_in_use')

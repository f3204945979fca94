/**
 * A webhook receiver that fails according to its mode. It records which requests arrived, and which of them it
 * accepted.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import type { events, webhooks } from '@reelkeep/contract'
import type { Caller } from '@reelkeep/testkit'
import { verifyWebhook } from 'reelkeep'

export const receiverModes = ['up', 'down', 'slow', 'answering 500', 'closing early', 'hanging'] as const
export type ReceiverMode = (typeof receiverModes)[number]

export type Arrival = {
  readonly event: events.Event
  /** Time of arrival by a logical clock, which counts arrivals and acceptances at the receiver. */
  readonly moment: number
  /** When the receiver began to send a success response, after which the service may count the event as delivered. */
  acceptedAt: number | undefined
}

const SLOW_MILLISECONDS = 300

export class EventReceiver implements AsyncDisposable {
  readonly url: string
  /** Event types to receive; an empty list means all, as for a webhook. */
  readonly types: readonly string[]
  /** All arrivals, including repetitions. */
  readonly arrivals: Arrival[] = []
  /** Invalid arrivals. */
  readonly violations: string[] = []
  #moments = 0
  readonly #port: number
  #secrets: string[] = []
  #mode: ReceiverMode = 'up'
  #server: Server | undefined
  /** Resolved when the mode changes, which ends hanging requests. */
  #modeChanged = Promise.withResolvers<void>()
  /** The last mode change. Mode changes run one after the other. */
  #changing: Promise<void> = Promise.resolve()

  private constructor(port: number, types: readonly string[]) {
    this.#port = port
    this.types = types
    this.url = `http://127.0.0.1:${port}/events`
  }

  static async open(port: number, types: readonly string[]): Promise<EventReceiver> {
    const receiver = new EventReceiver(port, types)
    await receiver.#listen()
    return receiver
  }

  /** Number of distinct events received. */
  get delivered(): number {
    return new Set(this.arrivals.map(({ event }) => event.id)).size
  }

  /** Creates a webhook for this receiver; returns its ID. */
  async subscribe(caller: Caller): Promise<string> {
    const input = { url: this.url, types: this.types }
    const { status, body, text } = await caller.post<webhooks.NewWebhook>('webhooks/', input)
    if (status !== 201) throw new Error(`Cannot create a webhook: ${text}`)
    this.trust(body.secret)
    return body.id
  }

  /** Accepts this secret from now on, in addition to the earlier ones. */
  trust(secret: string): void {
    this.#secrets.push(secret)
  }

  setMode(mode: ReceiverMode): Promise<void> {
    this.#changing = this.#changing.then(async () => {
      this.#mode = mode
      this.#modeChanged.resolve()
      this.#modeChanged = Promise.withResolvers()
      if (mode === 'down') await this.#close()
      else if (!this.#server) await this.#listen()
    })
    return this.#changing
  }

  async #listen(): Promise<void> {
    const server = createServer((request, response) => {
      // A request aborted by its sender is not a failure of the test.
      this.#receive(request, response).catch(() => response.destroy())
    })
    server.listen(this.#port, '127.0.0.1')
    await once(server, 'listening')
    this.#server = server
  }

  async #close(): Promise<void> {
    const server = this.#server
    this.#server = undefined
    if (!server) return
    const closed = once(server, 'close')
    server.close()
    server.closeAllConnections()
    await closed
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const mode = this.#mode
    const arrival = await this.#record(request, await text(request))
    if (mode === 'slow') await sleep(SLOW_MILLISECONDS)
    if (mode === 'hanging') {
      await this.#modeChanged.promise
      response.destroy()
    } else if (mode === 'answering 500') response.writeHead(500).end()
    else if (mode === 'closing early') this.#closeEarly(response, arrival)
    else {
      this.#accept(arrival)
      response.writeHead(204).end()
    }
  }

  /**
   * Closes the connection alternately within the status line, which counts as no response, and within the body, which
   * may count as a response.
   */
  #closeEarly(response: ServerResponse, arrival: Arrival | undefined): void {
    if (this.arrivals.length % 2 === 0) {
      response.socket?.end('HTTP/1.1 20')
      return
    }
    this.#accept(arrival)
    response.writeHead(200, { 'content-length': 100 })
    response.write('incomplete', () => response.destroy())
  }

  async #record({ method, headers }: IncomingMessage, body: string): Promise<Arrival | undefined> {
    // The time of arrival is taken before the signature is verified, because verifying may take long.
    const moment = this.#moments++
    const verified = await verifyWebhook(body, headers, this.#secrets).catch(() => undefined)
    if (!verified) {
      this.violations.push(`unsigned: ${method} ${JSON.stringify(headers)} ${body}`)
      return undefined
    }
    const event = verified as events.Event
    if (headers['webhook-id'] !== event.id) {
      this.violations.push(`webhook-id ${headers['webhook-id']} with ${body}`)
    }
    const arrival = { event, moment, acceptedAt: undefined }
    this.arrivals.push(arrival)
    return arrival
  }

  #accept(arrival: Arrival | undefined): void {
    if (arrival) arrival.acceptedAt = this.#moments++
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.setMode('down')
  }
}

/** A webhook receiver that fails as configured. It records arrivals, and which of them it accepted. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import type { events } from '@reelkeep/contract'
import { verifyWebhook } from 'reelkeep'
import type { Mood } from './event-schedule.ts'

export type Arrival = {
  readonly event: events.Event
  /** A logical clock: each event at a receiver gets the next number. */
  readonly moment: number
  /** When it may count as delivered: a success response was at least started. */
  acceptedAt: number | undefined
}

const SLOW_MILLISECONDS = 300

export class EventReceiver implements AsyncDisposable {
  readonly url: string
  /** Repetitions included. */
  readonly arrivals: Arrival[] = []
  /** Invalid arrivals. */
  readonly faults: string[] = []
  /** Called for each arrival. */
  onArrival: () => void = () => {}
  #moments = 0
  readonly #port: number
  #secrets: string[] = []
  #mood: Mood = 'fine'
  #server: Server | undefined
  /** Ends hanging requests. */
  #turned = Promise.withResolvers<void>()
  /** Changes of the mode run one after the other; the last one counts. */
  #turning: Promise<void> = Promise.resolve()

  private constructor(port: number) {
    this.#port = port
    this.url = `http://127.0.0.1:${port}/events`
  }

  static async open(port: number): Promise<EventReceiver> {
    const receiver = new EventReceiver(port)
    await receiver.#listen()
    return receiver
  }

  /** Number of distinct events received. */
  get told(): number {
    return new Set(this.arrivals.map(({ event }) => event.id)).size
  }

  /** Accepts this secret from now on, in addition to the earlier ones. */
  trust(secret: string): void {
    this.#secrets.push(secret)
  }

  turn(mood: Mood): Promise<void> {
    this.#turning = this.#turning.then(async () => {
      this.#mood = mood
      this.#turned.resolve()
      this.#turned = Promise.withResolvers()
      if (mood === 'down') await this.#close()
      else if (!this.#server) await this.#listen()
    })
    return this.#turning
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
    const mood = this.#mood
    const arrival = await this.#note(request, await text(request))
    if (mood === 'slow') await sleep(SLOW_MILLISECONDS)
    if (mood === 'hanging') {
      await this.#turned.promise
      response.destroy()
    } else if (mood === 'answering 500') response.writeHead(500).end('not today')
    else if (mood === 'closing half way') this.#closeHalfWay(response, arrival)
    else {
      this.#accept(arrival)
      response.writeHead(204).end()
    }
  }

  /**
   * Alternates between closing in the status line, which counts as no response, and closing in the body, which may
   * count as one.
   */
  #closeHalfWay(response: ServerResponse, arrival: Arrival | undefined): void {
    if (this.arrivals.length % 2 === 0) {
      response.socket?.end('HTTP/1.1 20')
      return
    }
    this.#accept(arrival)
    response.writeHead(200, { 'content-length': 100 })
    response.write('half of it', () => response.destroy())
  }

  async #note({ method, headers }: IncomingMessage, body: string): Promise<Arrival | undefined> {
    // The time of arrival, however long the verification takes.
    const moment = this.#moments++
    const verified = await verifyWebhook(body, headers, this.#secrets).catch(() => undefined)
    if (!verified) {
      this.faults.push(`unsigned: ${method} ${JSON.stringify(headers)} ${body}`)
      return undefined
    }
    const event = verified as events.Event
    if (headers['webhook-id'] !== event.id) {
      this.faults.push(`webhook-id ${headers['webhook-id']} with ${body}`)
    }
    const arrival = { event, moment, acceptedAt: undefined }
    this.arrivals.push(arrival)
    this.onArrival()
    return arrival
  }

  #accept(arrival: Arrival | undefined): void {
    if (arrival) arrival.acceptedAt = this.#moments++
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.turn('down')
  }
}

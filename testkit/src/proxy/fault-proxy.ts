/**
 * Proxies that inject faults between a client and a server. The terms are those of Toxiproxy: data flows upstream to
 * the server and downstream to the client, and the faults are `latency`, `timeout`, `resetPeer` and `bandwidth`.
 */
import { once } from 'node:events'
import type { AddressInfo, Server, Socket } from 'node:net'

/** Data to which a rule applies: one HTTP request, or one chunk of a TCP connection. */
export type Transfer = {
  /** Forwards the data. Returns a promise if the receiver is slower than the sender. */
  forward(): unknown
  /** Closes the client's connection with a TCP reset. */
  resetPeer(): void
}

/** Handles a transfer. If it returns a promise, the next chunk of a TCP connection waits for the promise. */
export type Action<T> = (transfer: T) => unknown

/** The first matching rule is applied. If no rule matches, the transfer is forwarded unchanged. */
export type Rule<T> = {
  readonly match?: (transfer: T) => boolean
  readonly action: Action<T>
  /** The rule is removed after this many matches. */
  times?: number
}

const forward: Action<Transfer> = (transfer) => transfer.forward()

export const resetPeer: Action<Transfer> = (transfer) => transfer.resetPeer()

/** Forwards nothing and sends no response; the connection stays open. */
export const timeout: Action<Transfer> = () => {}

export const latency =
  <T extends Transfer>(wait: (transfer: T) => Promise<unknown>, next: Action<T> = forward) =>
  (transfer: T) =>
    wait(transfer).then(() => next(transfer))

export abstract class FaultProxy<T extends Transfer> implements AsyncDisposable {
  rules: Rule<T>[] = []
  /** URL of the target; it may be changed while the proxy is open. */
  target: string
  readonly #server: Server
  readonly #clients = new Set<Socket>()
  #isEnabled = true

  protected constructor(server: Server, target: string) {
    this.#server = server
    this.target = target
    server.on('connection', (client: Socket) => {
      client.on('error', () => {})
      if (!this.#isEnabled) return client.resetAndDestroy()
      this.#clients.add(client)
      client.on('close', () => this.#clients.delete(client))
    })
  }

  /** The target's URL with the host and port of this proxy. */
  get url(): string {
    const url = new URL(this.target)
    url.hostname = '127.0.0.1'
    url.port = String((this.#server.address() as AddressInfo).port)
    return url.href.replace(/\/$/, '')
  }

  get openConnections(): number {
    return this.#clients.size
  }

  /** Resets all connections, and also new connections until `enable` is called. */
  disable(): void {
    this.#isEnabled = false
    this.resetConnections()
  }

  enable(): void {
    this.#isEnabled = true
  }

  resetConnections(): void {
    for (const client of this.#clients) client.resetAndDestroy()
  }

  /** Enables the proxy and removes all rules and records. */
  reset(): void {
    this.enable()
    this.rules = []
  }

  protected async listen(port = 0): Promise<this> {
    this.#server.listen(port, '127.0.0.1')
    await once(this.#server, 'listening')
    return this
  }

  protected apply(transfer: T): unknown {
    const rule = this.rules.find(({ match }) => match?.(transfer) ?? true)
    if (rule?.times !== undefined && --rule.times === 0) this.rules = this.rules.filter((each) => each !== rule)
    return (rule?.action ?? forward)(transfer)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.disable()
    await this.#server[Symbol.asyncDispose]()
  }
}

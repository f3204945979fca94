/**
 * Drops packets to or from ports of this machine, so that TCP behaves as in a real partition: connections stay open,
 * packets are sent again, and the end of a connection does not reach the other side. Needs root.
 */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { root } from '@reelkeep/testkit'

const run = promisify(execFile)

/** Which packets are lost: requests, responses, or both. */
export type Loss = 'to the server' | 'to the client' | 'both'
export const losses: readonly Loss[] = ['both', 'to the server', 'to the client']

export class Network implements AsyncDisposable {
  readonly #nft: string
  readonly #table: string

  private constructor(nft: string, table: string) {
    this.#nft = nft
    this.#table = table
  }

  /** Creates a table of rules with this name, and removes one that a killed run has left. */
  static async open(name: string): Promise<Network> {
    const { stdout } = await run(join(root, 'stack/network-tools'))
    const network = new Network(stdout.trim(), `reelkeep_${name.replaceAll(/\W/g, '_')}`)
    await network.#apply([`add table inet ${network.#table}`])
    await network[Symbol.asyncDispose]()
    await network.#apply(tableOf(network.#table))
    return network
  }

  /** Drops the packets of connections to a server at this port. Returns the function that ends it. */
  async drop(port: number, loss: Loss): Promise<() => Promise<void>> {
    const sets = [...(loss === 'to the client' ? [] : ['servers']), ...(loss === 'to the server' ? [] : ['clients'])]
    const change = (verb: 'add' | 'delete') =>
      this.#apply(sets.map((set) => `${verb} element inet ${this.#table} ${set} { ${port} }`))
    await change('add')
    return () => change('delete')
  }

  async #apply(commands: readonly string[]): Promise<void> {
    await run(this.#nft, [commands.join('; ')])
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#apply([`delete table inet ${this.#table}`])
  }
}

const tableOf = (table: string): string[] => [
  `add table inet ${table}`,
  `add set inet ${table} servers { type inet_service; }`,
  `add set inet ${table} clients { type inet_service; }`,
  `add chain inet ${table} input { type filter hook input priority 0; }`,
  `add rule inet ${table} input tcp dport @servers drop`,
  `add rule inet ${table} input tcp sport @clients drop`,
]

/**
 * HTTP agents of a dispatcher: one for the public internet, and one for each list of private networks. Agents reuse
 * connections, so organizations share a private one only if they may use the same networks.
 */
import type { Agent } from 'undici'
import { onlyNetworks, openGuardedAgent, publicInternet } from '../../../platform/network/guarded-agent.ts'
import { toNetworkPorts } from '../../../platform/network/network-ports.ts'

/** Maximum number of origins whose last request needed a private agent. Beyond it, the oldest is tried both ways. */
const PRIVATE_ORIGINS_MAX = 10_000

/** Maximum number of private agents. Beyond it, the oldest is closed after its requests. */
const PRIVATE_AGENTS_MAX = 100

export type DeliveryAgentsOptions = {
  /** Ports on the public internet. */
  readonly ports: readonly number[]
  /** Networks that every organization may use, for development. */
  readonly developmentNetworks: readonly string[]
  readonly connectSecondsMax: number
}

export class DeliveryAgents implements AsyncDisposable {
  /** For HTTPS to the public internet. */
  readonly publicAgent: Agent
  readonly #options: DeliveryAgentsOptions
  readonly #privateAgents = new Map<string, Agent>()
  readonly #privateOrigins = new Set<string>()

  constructor(options: DeliveryAgentsOptions, publicAgent?: Agent) {
    const { ports, connectSecondsMax } = options
    this.#options = options
    this.publicAgent = publicAgent ?? openGuardedAgent({ isAllowed: publicInternet(ports), connectSecondsMax })
  }

  /** The agent for the private networks of an organization; undefined if it has none. */
  privateAgent(networks: readonly string[]): Agent | undefined {
    const { developmentNetworks, connectSecondsMax } = this.#options
    const all = [...networks, ...developmentNetworks]
    if (all.length === 0) return undefined
    const key = all.join(' ')
    const opened = this.#privateAgents.get(key)
    if (opened) return opened
    const allowed = toNetworkPorts(all)
    if (!allowed) throw new Error('organizations.webhook_networks has an invalid entry')
    const agent = openGuardedAgent({ isAllowed: onlyNetworks(allowed), connectSecondsMax })
    this.#privateAgents.set(key, agent)
    this.#closeOldest()
    return agent
  }

  /** Whether the last request to the origin needed a private agent. Only a hint about which agent to try first. */
  isPrivate(origin: string): boolean {
    return this.#privateOrigins.has(origin)
  }

  setPrivate(origin: string, isPrivate: boolean): void {
    if (!isPrivate) this.#privateOrigins.delete(origin)
    else this.#privateOrigins.add(origin)
    const [oldest] = this.#privateOrigins
    if (oldest !== undefined && this.#privateOrigins.size > PRIVATE_ORIGINS_MAX) this.#privateOrigins.delete(oldest)
  }

  #closeOldest(): void {
    const [oldest] = this.#privateAgents
    if (!oldest || this.#privateAgents.size <= PRIVATE_AGENTS_MAX) return
    const [key, agent] = oldest
    this.#privateAgents.delete(key)
    void agent.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.publicAgent, ...this.#privateAgents.values()].map((agent) => agent.destroy()))
  }
}

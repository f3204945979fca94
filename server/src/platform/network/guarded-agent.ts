/**
 * HTTP requests to URLs that users or operators gave us (SSRF protection).
 *
 * The IP address is checked when the connection is opened. Checking the name beforehand would be useless: the
 * name server may return another address a moment later (DNS rebinding). All addresses of a name must be allowed.
 */
import { isIP, type LookupFunction } from 'node:net'
import { Agent, buildConnector } from 'undici'
import { isPublicAddress } from './addresses.ts'
import type { NetworkPorts } from './network-ports.ts'
import { type ResolveName, resolveName } from './resolve-name.ts'

/**
 * Maximum idle time of a connection. Shorter than the common keep-alive timeout of servers, so that they do not close a
 * connection we reuse.
 */
const IDLE_SECONDS_MAX = 4

/** Where a connection goes. */
type Target = { readonly isTls: boolean; readonly port: number }

/** Whether a connection may be opened to the IP address. */
type IsAllowed = (address: string, target: Target) => boolean

/** Allows HTTPS to the public internet on these ports. */
export const publicInternet =
  (ports: readonly number[]): IsAllowed =>
  (address, { isTls, port }) =>
    isTls && ports.includes(port) && isPublicAddress(address)

/** Allows HTTPS and plain HTTP to these networks and ports only. */
export const onlyNetworks =
  (networks: NetworkPorts): IsAllowed =>
  (address, { port }) =>
    networks.includes(address, port)

export type GuardedAgentOptions = {
  readonly isAllowed: IsAllowed
  readonly connectSecondsMax: number
  readonly resolve?: ResolveName
}

/** Refused connection. The message does not contain the address: users must not see what our name servers resolve. */
export class ForbiddenAddress extends Error {
  override readonly name = 'ForbiddenAddress'
  readonly code = 'FORBIDDEN_ADDRESS'
}

/** Opens an agent that keeps connections for a few seconds and follows no redirects. The caller closes it. */
export function openGuardedAgent(options: GuardedAgentOptions): Agent {
  const connectors = new Map<string, buildConnector.connector>()
  return new Agent({
    keepAliveTimeout: IDLE_SECONDS_MAX * 1000,
    keepAliveMaxTimeout: IDLE_SECONDS_MAX * 1000,
    connect: (given, callback) => {
      const isTls = given.protocol === 'https:'
      const target = { isTls, port: Number(given.port) || (isTls ? 443 : 80) }
      const key = `${given.protocol}${target.port}`
      const connect = connectors.get(key) ?? guardedConnector(options, target)
      connectors.set(key, connect)
      connect(given, callback)
    },
  })
}

function guardedConnector(
  { isAllowed, connectSecondsMax, resolve = resolveName }: GuardedAgentOptions,
  target: Target,
): buildConnector.connector {
  const lookup: LookupFunction = (name, { all }, callback) => {
    resolve(name).then(
      (addresses) => {
        const [first] = addresses
        if (!first || !addresses.every(({ address }) => isAllowed(address, target))) return callback(forbidden(), [])
        if (all) callback(null, [...addresses])
        else callback(null, first.address, first.family)
      },
      (error: NodeJS.ErrnoException) => callback(error, []),
    )
  }
  const connect = buildConnector({ lookup, timeout: connectSecondsMax * 1000 })
  return (given, callback) => {
    // IP addresses are not looked up, so `lookup` does not check them.
    const address = given.hostname.replace(/^\[(.*)\]$/, '$1')
    if (isIP(address) !== 0 && !isAllowed(address, target)) return callback(forbidden(), null)
    connect(given, callback)
  }
}

const forbidden = () => new ForbiddenAddress('The address or port is not allowed.')

/** Whether a request failed because its address or port is not allowed. Nothing was sent. */
export const isForbidden = (error: unknown): boolean => (error as { code?: unknown }).code === 'FORBIDDEN_ADDRESS'

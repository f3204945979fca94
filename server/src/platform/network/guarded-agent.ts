/**
 * HTTP requests to URLs that users gave us (SSRF protection).
 *
 * The IP address is checked when the connection is opened. Checking the name beforehand would be useless: the
 * name server may return another address a moment later (DNS rebinding). All addresses of a name must be allowed.
 */
import { type BlockList, isIP, type LookupFunction } from 'node:net'
import { Agent, buildConnector } from 'undici'
import { isAllowedAddress, isConfiguredAddress } from './addresses.ts'
import { type ResolveName, resolveName } from './resolve-name.ts'

/**
 * Maximum idle time of a connection. Shorter than the common keep-alive timeout of servers, so that they do not close a
 * connection we reuse.
 */
const IDLE_SECONDS_MAX = 4

export type GuardedAgentOptions = {
  /** Networks that are allowed in addition to the public internet. Plain HTTP is allowed only to these networks. */
  readonly allowedNetworks: BlockList
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
  const connectors = {
    'https:': guardedConnector(options, isAllowedAddress),
    'http:': guardedConnector(options, isConfiguredAddress),
  }
  return new Agent({
    keepAliveTimeout: IDLE_SECONDS_MAX * 1000,
    keepAliveMaxTimeout: IDLE_SECONDS_MAX * 1000,
    connect: (target, callback) => {
      const connect = connectors[target.protocol === 'https:' ? 'https:' : 'http:']
      connect(target, callback)
    },
  })
}

function guardedConnector(
  { allowedNetworks, connectSecondsMax, resolve = resolveName }: GuardedAgentOptions,
  isAllowed: typeof isAllowedAddress,
): buildConnector.connector {
  const lookup: LookupFunction = (name, { all }, callback) => {
    resolve(name).then(
      (addresses) => {
        const [first] = addresses
        if (!first || !addresses.every(({ address }) => isAllowed(address, allowedNetworks)))
          return callback(forbidden(), [])
        if (all) callback(null, [...addresses])
        else callback(null, first.address, first.family)
      },
      (error: NodeJS.ErrnoException) => callback(error, []),
    )
  }
  const connect = buildConnector({ lookup, timeout: connectSecondsMax * 1000 })
  return (target, callback) => {
    // IP addresses are not looked up, so `lookup` does not check them.
    const address = target.hostname.replace(/^\[(.*)\]$/, '$1')
    if (isIP(address) !== 0 && !isAllowed(address, allowedNetworks)) return callback(forbidden(), null)
    connect(target, callback)
  }
}

const forbidden = () => new ForbiddenAddress('The address is not allowed for webhooks.')

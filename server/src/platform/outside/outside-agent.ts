/**
 * Requests to addresses that somebody gave us.
 *
 * Whether an address may be called is decided where the connection is made, of the numbers that it
 * is made to. A check of the name beforehand would be worth nothing: a name server may answer
 * otherwise a moment later. All addresses of a name must be allowed, not only one.
 */
import { type BlockList, isIP, type LookupFunction } from 'node:net'
import { Agent, buildConnector } from 'undici'
import { isAllowedAddress, isNamedAddress } from './addresses.ts'
import { type ResolveName, resolveName } from './names.ts'

/** Fewer than servers commonly keep an idle connection for, so that it is not closed just when it is used. */
const IDLE_SECONDS_MAX = 4

export type OutsideOptions = {
  /** What is allowed beside the public internet; without encryption nothing else is. */
  readonly allowedNetworks: BlockList
  readonly connectSecondsMax: number
  readonly resolve?: ResolveName
}

/**
 * Said of an address that must not be called; it does not say which, for who asks may not know what
 * our name servers know.
 */
export class ForbiddenAddress extends Error {
  override readonly name = 'ForbiddenAddress'
  readonly code = 'FORBIDDEN_ADDRESS'
}

/** Keeps connections for a few seconds, follows no redirect, and is closed by who opens it. */
export function openOutsideAgent(options: OutsideOptions): Agent {
  const connectors = {
    'https:': guarded(options, isAllowedAddress),
    'http:': guarded(options, isNamedAddress),
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

function guarded(
  { allowedNetworks, connectSecondsMax, resolve = resolveName }: OutsideOptions,
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
    // Numbers are not looked up, so they do not come by the guard above.
    const numbers = target.hostname.replace(/^\[(.*)\]$/, '$1')
    if (isIP(numbers) !== 0 && !isAllowed(numbers, allowedNetworks))
      return callback(forbidden(), null)
    connect(target, callback)
  }
}

const forbidden = () => new ForbiddenAddress('The address leads where webhooks must not go.')

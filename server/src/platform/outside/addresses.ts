/**
 * Where we may be sent by somebody's address: the public internet, and networks that the operator has named.
 *
 * An address can hide another one. `::ffff:127.0.0.1` is `127.0.0.1` to the kernel, and a gateway
 * makes `10.0.0.1` out of `64:ff9b::a00:1`. Those are judged by what they lead to. Older ways
 * through IPv6 (6to4, Teredo, `::10.0.0.1`) lead nowhere any more that is worth it, and are refused
 * like everything that is not global unicast.
 */
import { type BlockList, isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

type Address = ipaddr.IPv4 | ipaddr.IPv6

/** In the middle of public addresses, and yet the host's own agent on every machine of Azure. */
const hostAgents = new Set(['168.63.129.16'])

/**
 * All that is given out for the public internet lies in here; the library takes for public whatever
 * it does not know.
 */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3')
/** Of the gateways from IPv6 to IPv4: RFC 6052. */
const gateways = ipaddr.IPv6.parseCIDR('64:ff9b::/96')

/**
 * With a zone (fe80::1%eth0) it is no public one, and `::1.2.3.4`, which nobody uses, the library
 * reads otherwise than the kernel.
 */
const unwanted = /%|^::\d+\./

/** Of an address in numbers, as a socket is connected to; anything else is not allowed. */
export function isAllowedAddress(address: string, allowedNetworks: BlockList): boolean {
  const target = targetOf(address)
  return target !== undefined && (isIn(allowedNetworks, target) || isPublic(target))
}

/** Whether it lies in one of the networks that the operator has named: there, requests need no encryption. */
export function isNamedAddress(address: string, allowedNetworks: BlockList): boolean {
  const target = targetOf(address)
  return target !== undefined && isIn(allowedNetworks, target)
}

const isIn = (networks: BlockList, address: Address) =>
  networks.check(address.toString(), address.kind())

function targetOf(text: string): Address | undefined {
  if (isIP(text) === 0 || unwanted.test(text)) return undefined
  const address = ipaddr.parse(text)
  if (!(address instanceof ipaddr.IPv6)) return address
  if (address.isIPv4MappedAddress()) return address.toIPv4Address()
  if (address.match(gateways)) return new ipaddr.IPv4(address.toByteArray().slice(-4))
  return address
}

function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast') return false
  return address instanceof ipaddr.IPv6
    ? address.match(globalUnicast)
    : !hostAgents.has(address.toString())
}

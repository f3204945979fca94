/**
 * Whether an address is on the public internet, or in a network that the operator allowed.
 *
 * An address can embed another one: `::ffff:127.0.0.1` is `127.0.0.1` to the kernel, and a NAT64 gateway
 * translates `64:ff9b::a00:1` to `10.0.0.1`. Those are checked by the embedded address. Obsolete transition
 * mechanisms (6to4, Teredo, `::10.0.0.1`) are refused like everything that is not global unicast.
 */
import { type BlockList, isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

type Address = ipaddr.IPv4 | ipaddr.IPv6

/** A public address that is the host's agent on every Azure machine. */
const cloudHostAgents = new Set(['168.63.129.16'])

/** All public IPv6 addresses. Needed because the library treats unknown ranges as public. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3')
/** NAT64 prefix: RFC 6052. */
const nat64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96')

/** Addresses with a zone (fe80::1%eth0) are not public; `::1.2.3.4` is parsed differently by library and kernel. */
const unsupported = /%|^::\d+\./

/** Whether the IP address is on the public internet. Returns false for any other text. */
export function isPublicAddress(address: string): boolean {
  const target = targetOf(address)
  return target !== undefined && isPublic(target)
}

/** Whether the IP address is in one of the networks. Returns false for any other text. */
export function isInNetworks(address: string, networks: BlockList): boolean {
  const target = targetOf(address)
  return target !== undefined && networks.check(target.toString(), target.kind())
}

function targetOf(text: string): Address | undefined {
  if (isIP(text) === 0 || unsupported.test(text)) return undefined
  const address = ipaddr.parse(text)
  if (!(address instanceof ipaddr.IPv6)) return address
  if (address.isIPv4MappedAddress()) return address.toIPv4Address()
  if (address.match(nat64)) return new ipaddr.IPv4(address.toByteArray().slice(-4))
  return address
}

function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast') return false
  return address instanceof ipaddr.IPv6 ? address.match(globalUnicast) : !cloudHostAgents.has(address.toString())
}

import ipaddr from 'ipaddr.js'

/** Prefix length of the smallest IPv6 network that a customer gets. */
const IPV6_BITS = 64

/**
 * Returns the key by which clients are counted. A customer with IPv6 has at least 2^64 addresses, so these are counted
 * as one.
 */
export function clientNetwork(ip: string): string {
  if (!ip.includes(':') || !ipaddr.IPv6.isValid(ip)) return ip
  const address = ipaddr.IPv6.parse(ip)
  if (address.isIPv4MappedAddress()) return address.toIPv4Address().toString()
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${address.toNormalizedString()}/${IPV6_BITS}`)}/${IPV6_BITS}`
}

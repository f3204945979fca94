/**
 * Resolves a host name to its addresses.
 *
 * `getaddrinfo` blocks a thread of libuv's small pool until it gets a response, so a few names with unresponsive
 * name servers would block all lookups. So the name servers are queried directly; only names that they cannot resolve
 * (from /etc/hosts or search domains) are looked up with `getaddrinfo`.
 */
import type { LookupAddress } from 'node:dns'
import { lookup, Resolver } from 'node:dns/promises'

const RESPONSE_SECONDS_MAX = 3
const TRIES_MAX = 2

const ADDRESSES_MAX = 16

export type ResolveName = (name: string) => Promise<readonly LookupAddress[]>

const resolver = new Resolver({ timeout: RESPONSE_SECONDS_MAX * 1000, tries: TRIES_MAX })

export const resolveName: ResolveName = async (name) => {
  const [four, six] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
  const addresses = [
    ...(four.status === 'fulfilled' ? four.value.map((address) => ({ address, family: 4 })) : []),
    ...(six.status === 'fulfilled' ? six.value.map((address) => ({ address, family: 6 })) : []),
  ]
  if (addresses.length > 0) return addresses.slice(0, ADDRESSES_MAX)
  const isLate = [four, six].some((answer) => answer.status === 'rejected' && isTimeout(answer))
  if (isLate) throw Object.assign(new Error('the name servers do not respond'), { code: 'ETIMEOUT' })
  return (await lookup(name, { all: true })).slice(0, ADDRESSES_MAX)
}

const isTimeout = ({ reason }: PromiseRejectedResult) => (reason as NodeJS.ErrnoException).code === 'ETIMEOUT'

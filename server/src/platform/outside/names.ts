/**
 * Which addresses a name has.
 *
 * The system's own way to ask (`getaddrinfo`) holds one of a few threads until it is answered, so
 * the names of a few silent name servers would hold up everybody's. The name servers are therefore
 * asked directly. What they do not know may stand in the machine's own list, or be short for a
 * longer name: for that the system is asked after all.
 */
import type { LookupAddress } from 'node:dns'
import { lookup, Resolver } from 'node:dns/promises'

const ANSWER_SECONDS_MAX = 3
const TRIES_MAX = 2

/** More are looked at by nobody. */
const ADDRESSES_MAX = 16

export type ResolveName = (name: string) => Promise<readonly LookupAddress[]>

const resolver = new Resolver({ timeout: ANSWER_SECONDS_MAX * 1000, tries: TRIES_MAX })

export const resolveName: ResolveName = async (name) => {
  const [four, six] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
  const addresses = [
    ...(four.status === 'fulfilled' ? four.value.map((address) => ({ address, family: 4 })) : []),
    ...(six.status === 'fulfilled' ? six.value.map((address) => ({ address, family: 6 })) : []),
  ]
  if (addresses.length > 0) return addresses.slice(0, ADDRESSES_MAX)
  const isSilent = [four, six].some((answer) => answer.status === 'rejected' && isTimeout(answer))
  if (isSilent)
    throw Object.assign(new Error('the name servers do not answer'), { code: 'ETIMEOUT' })
  return (await lookup(name, { all: true })).slice(0, ADDRESSES_MAX)
}

const isTimeout = ({ reason }: PromiseRejectedResult) =>
  (reason as NodeJS.ErrnoException).code === 'ETIMEOUT'

/** Networks with a port that the operator allows: "10.1.0.0/16:8080", "fd00:1::/32:443", "127.0.0.0/8:*". */
import type { BlockList } from 'node:net'
import { isInNetworks } from './addresses.ts'
import { toNetworks } from './cidr.ts'

const PORT_MAX = 65_535
const pattern = /^(.+):(\*|[1-9]\d{0,4})$/

type NetworkPort = {
  readonly network: BlockList
  /** Undefined for all ports. */
  readonly port: number | undefined
}

export type NetworkPorts = {
  readonly includes: (address: string, port: number) => boolean
  /** Whether one of the networks is allowed on this port. */
  readonly hasPort: (port: number) => boolean
}

/** Parses the networks. Returns undefined if one of the texts is not a network with a port. */
export function toNetworkPorts(texts: readonly string[]): NetworkPorts | undefined {
  const parsed = texts.map(parse)
  const all = parsed.filter((each) => each !== undefined)
  if (all.length < parsed.length) return undefined
  const isOn = (port: number) => (each: NetworkPort) => each.port === undefined || each.port === port
  return {
    includes: (address, port) => all.some((each) => isOn(port)(each) && isInNetworks(address, each.network)),
    hasPort: (port) => all.some(isOn(port)),
  }
}

export const isNetworkPort = (text: string): boolean => parse(text) !== undefined

function parse(text: string): NetworkPort | undefined {
  const [, cidr = '', port = ''] = pattern.exec(text) ?? []
  const network = toNetworks([cidr])
  if (!network || Number(port) > PORT_MAX) return undefined
  return { network, port: port === '*' ? undefined : Number(port) }
}

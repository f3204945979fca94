import { BlockList, isIP } from 'node:net'

const pattern = /^([0-9a-fA-F.:]{2,39})\/(\d{1,3})$/

/** Whether the text is a network in CIDR notation: "192.0.2.0/24", "2001:db8::/32". */
export function isNetwork(text: string): boolean {
  const [, address = '', bits = ''] = pattern.exec(text) ?? []
  const version = isIP(address)
  return version !== 0 && Number(bits) <= (version === 4 ? 32 : 128)
}

/** Parses the networks. Returns undefined if one of the texts is not a network. */
export function toNetworks(texts: readonly string[]): BlockList | undefined {
  if (!texts.every(isNetwork)) return undefined
  const networks = new BlockList()
  for (const text of texts) {
    const [address = '', bits = ''] = text.split('/')
    networks.addSubnet(address, Number(bits), familyOf(address))
  }
  return networks
}

export const familyOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4')

import { describe, expect, it } from 'vitest'
import { isNetworkPort, toNetworkPorts } from './network-ports.ts'

describe('toNetworkPorts', () => {
  it.each([
    ['10.1.0.0/16:8080', '10.1.2.3', 8080, true],
    ['10.1.0.0/16:8080', '10.1.2.3', 443, false],
    ['10.1.0.0/16:8080', '10.2.0.1', 8080, false],
    ['10.1.0.0/16:8080', '::ffff:10.1.2.3', 8080, true],
    ['10.1.0.0/16:*', '10.1.2.3', 22, true],
    ['fd00:1::/32:443', 'fd00:1::7', 443, true],
    ['fd00:1::/32:443', 'fd00:2::7', 443, false],
  ])('%s includes %s on port %d: %s', (text, address, port, isIncluded) => {
    expect(toNetworkPorts([text])?.includes(address, port)).toBe(isIncluded)
  })

  it('does not combine the network of one entry with the port of another', () => {
    const networks = toNetworkPorts(['10.1.0.0/16:8080', '10.2.0.0/16:443'])
    expect(networks?.includes('10.1.0.1', 443)).toBe(false)
    expect(networks?.hasPort(443)).toBe(true)
    expect(networks?.hasPort(22)).toBe(false)
  })

  it.each(['10.1.0.0/16', '10.1.0.0:443', '10.1.0.0/33:443', '10.1.0.0/16:0', '10.1.0.0/16:65536', 'a/8:1', ':*', ''])(
    'refuses %j',
    (text) => {
      expect(isNetworkPort(text)).toBe(false)
      expect(toNetworkPorts(['10.1.0.0/16:443', text])).toBeUndefined()
    },
  )
})

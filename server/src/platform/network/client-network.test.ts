import { expect, it } from 'vitest'
import { clientNetwork } from './client-network.ts'

it.each([
  ['192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:DB8:1:2::', '2001:db8:1:2::/64'],
  ['2001:db8:1:3::1', '2001:db8:1:3::/64'],
  ['::1', '::/64'],
  ['fe80::1%eth0', 'fe80::/64'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['not:an:address', 'not:an:address'],
  ['', ''],
])('clientNetwork counts %s as %s', (ip, network) => {
  expect(clientNetwork(ip)).toBe(network)
})

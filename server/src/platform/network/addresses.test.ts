import { describe, expect, it } from 'vitest'
import { isInNetworks, isPublicAddress } from './addresses.ts'
import { toNetworks } from './cidr.ts'

function networks(...texts: string[]) {
  const list = toNetworks(texts)
  if (!list) throw new Error(`not networks: ${texts}`)
  return list
}

describe('isPublicAddress', () => {
  it.each([
    '1.1.1.1',
    '8.8.8.8',
    '172.15.255.255',
    '172.32.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '168.63.129.15',
    '2606:4700::1111',
    '2a00:1450:4001::1',
    '::ffff:8.8.8.8',
    '64:ff9b::8.8.8.8',
  ])('accepts the public address %s', (address) => {
    expect(isPublicAddress(address)).toBe(true)
  })

  it.each([
    ['this network', '0.0.0.0'],
    ['this network', '0.255.255.255'],
    ['private', '10.0.0.0'],
    ['private', '10.255.255.255'],
    ['private', '172.16.0.1'],
    ['private', '172.31.255.255'],
    ['private', '192.168.255.255'],
    ['carrier-grade NAT', '100.64.0.1'],
    ['Alibaba metadata', '100.100.100.200'],
    ['carrier-grade NAT', '100.127.255.255'],
    ['loopback', '127.0.0.1'],
    ['loopback', '127.255.255.255'],
    ['metadata', '169.254.169.254'],
    ['container metadata', '169.254.170.2'],
    ['the Azure host agent', '168.63.129.16'],
    ['Oracle metadata', '192.0.0.192'],
    ['documentation', '192.0.2.1'],
    ['6to4 relays', '192.88.99.1'],
    ['benchmarks', '198.18.0.1'],
    ['benchmarks', '198.19.255.255'],
    ['documentation', '198.51.100.1'],
    ['documentation', '203.0.113.1'],
    ['multicast', '224.0.0.1'],
    ['multicast', '239.255.255.255'],
    ['reserved', '240.0.0.1'],
    ['broadcast', '255.255.255.255'],
    ['unspecified', '::'],
    ['loopback', '::1'],
    ['IPv4-mapped', '::ffff:127.0.0.1'],
    ['IPv4-mapped', '::ffff:7f00:1'],
    ['IPv4-mapped', '::ffff:a9fe:a9fe'],
    ['IPv4-compatible', '::7f00:1'],
    ['IPv4-compatible', '::8.8.8.8'],
    ['IPv4-translated', '::ffff:0:7f00:1'],
    ['NAT64 to loopback', '64:ff9b::7f00:1'],
    ['NAT64 to metadata', '64:ff9b::169.254.169.254'],
    ['local-use NAT64', '64:ff9b:1::8.8.8.8'],
    ['6to4 to loopback', '2002:7f00:1::'],
    ['6to4 to a public address', '2002:808:808::1'],
    ['Teredo', '2001:0:808:808::1'],
    ['link-local', 'fe80::1'],
    ['link-local with a zone', 'fe80::1%eth0'],
    ['public with a zone', '2606:4700::1111%eth0'],
    ['site-local', 'fec0::1'],
    ['unique local', 'fc00::1'],
    ['Amazon metadata', 'fd00:ec2::254'],
    ['Google metadata', 'fd20:ce::254'],
    ['discard-only', '100::1'],
    ['documentation', '2001:db8::1'],
    ['benchmarks', '2001:2::1'],
    ['multicast', 'ff02::1'],
    ['unassigned', '4000::1'],
    ['a name', 'localhost'],
    ['a number', '2130706433'],
    ['octal', '0177.0.0.1'],
    ['empty text', ''],
  ])('refuses %s: %s', (_, address) => {
    expect(isPublicAddress(address)).toBe(false)
  })
})

describe('isInNetworks', () => {
  it.each([
    ['10.1.2.3', '10.1.0.0/16', true],
    ['10.2.0.0', '10.1.0.0/16', false],
    ['::ffff:10.1.2.3', '10.1.0.0/16', true],
    ['64:ff9b::10.1.2.3', '10.1.0.0/16', true],
    ['127.0.0.1', '127.0.0.0/8', true],
    ['::1', '127.0.0.0/8', false],
    ['fd00:1::2', 'fd00:1::/32', true],
    ['fd00:2::2', 'fd00:1::/32', false],
    ['168.63.129.16', '168.63.129.16/32', true],
    ['8.8.8.8', '10.1.0.0/16', false],
  ])('checks %s against the network %s and returns %s', (address, network, isIncluded) => {
    expect(isInNetworks(address, networks(network))).toBe(isIncluded)
  })
})

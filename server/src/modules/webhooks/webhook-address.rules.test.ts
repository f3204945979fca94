import { describe, expect, it } from 'vitest'
import { isPublicAddress } from '../../platform/network/addresses.ts'
import { toNetworkPorts } from '../../platform/network/network-ports.ts'
import { asWebhookUrl, type Networks } from './webhook-address.rules.ts'

function networksOf(...texts: string[]): Networks {
  const allowed = toNetworkPorts(texts)
  if (!allowed) throw new Error('no networks')
  return { ...allowed, publicPorts: [443, 8443], isPublic: isPublicAddress }
}
const outside = networksOf()
const inside = networksOf('10.1.0.0/16:443', '10.1.0.0/16:8080', 'fd00:1::/32:*', '127.0.0.1/32:*')

const errorOf = (url: string, networks = outside) => {
  try {
    asWebhookUrl(url, networks)
  } catch (error) {
    return error
  }
  return undefined
}

describe('asWebhookUrl', () => {
  it.each([
    ['https://receiver.example/reelkeep?for=acme', 'https://receiver.example/reelkeep?for=acme'],
    ['https://receiver.example', 'https://receiver.example/'],
    ['HTTPS://Receiver.Example:8443/A', 'https://receiver.example:8443/A'],
    ['https://müller.example/', 'https://xn--mller-kva.example/'],
    ['https://93.184.215.14/', 'https://93.184.215.14/'],
    ['https://[2606:4700:4700::1111]/', 'https://[2606:4700:4700::1111]/'],
  ])('accepts and normalizes %s', (url, normalized) => {
    expect(asWebhookUrl(url, outside)).toBe(normalized)
  })

  it.each([
    ['receiver.example', 'absolute'],
    ['//receiver.example/', 'absolute'],
    ['https://', 'absolute'],
    ['https://receiver.example:99999/', 'absolute'],
    ['ftp://receiver.example/', 'begin with https'],
    ['file:///etc/passwd', 'begin with https'],
    ['gopher://receiver.example/', 'begin with https'],
    ['https://user@receiver.example/', 'user name'],
    ['https://user:secret@receiver.example/', 'user name'],
    ['https://:secret@receiver.example/', 'user name'],
    ['https://receiver.example/#top', 'fragment'],
    ['https://receiver.example/#', 'fragment'],
    ['http://receiver.example/', 'begin with https'],
    ['http://93.184.215.14/', 'begin with https'],
    ['https://receiver.example:22/', 'port 443 or 8443'],
    ['https://93.184.215.14:25/', 'port 443 or 8443'],
    ['http://receiver.example:443/', 'begin with https'],
    [`https://receiver.example/${'ü'.repeat(400)}`, '2048'],
  ])('refuses %s: %s', (url, reason) => {
    expect(errorOf(url)).toMatchObject({
      code: 'invalid_webhook_url',
      message: expect.stringContaining(reason),
      violations: [{ field: 'url' }],
    })
  })

  it.each([
    'https://127.0.0.1/',
    'https://127.1/',
    'https://2130706433/',
    'https://0x7f.0.0.1/',
    'https://0177.0.0.1/',
    'https://0/',
    'https://10.0.0.1/',
    'https://169.254.169.254/latest/meta-data/',
    'https://192.168.1.1/',
    'https://100.64.0.1/',
    'https://[::1]/',
    'https://[::]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:a9fe:a9fe]/',
    'https://[fe80::1]/',
    'https://[fd00::1]/',
    'https://[64:ff9b::a00:1]/',
    'https://localhost/',
    'https://LOCALHOST./',
    'https://any.localhost/',
    'https://①②⑦.0.0.1/',
  ])('refuses %s, which is not a public address', (url) => {
    expect(errorOf(url)).toMatchObject({
      code: 'invalid_webhook_url',
      message: expect.stringContaining('not on the public internet'),
    })
  })
})

describe('networks allowed by the operator', () => {
  it.each(['https://10.1.2.3/', 'https://[fd00:1::7]/', 'https://localhost:8080/'])('include %s', (url) => {
    expect(asWebhookUrl(url, inside)).toBe(url)
  })

  it.each(['http://10.1.2.3:8080/', 'http://[fd00:1::7]/', 'http://127.0.0.1/'])('allow http: %s', (url) => {
    expect(asWebhookUrl(url, inside)).toBe(url)
  })

  it('allow a host name, whose address is checked when a request is sent', () => {
    expect(asWebhookUrl('http://receiver.internal/', inside)).toBe('http://receiver.internal/')
  })

  it.each(['https://10.2.0.1/', 'http://10.2.0.1/', 'https://[fd00:2::1]/', 'https://10.1.2.3:22/'])(
    'do not include %s',
    (url) => {
      expect(errorOf(url, inside)).toMatchObject({ code: 'invalid_webhook_url' })
    },
  )

  it('do not allow http to public addresses', () => {
    expect(errorOf('http://93.184.215.14/', inside)).toMatchObject({
      message: expect.stringContaining('https://'),
    })
  })
})

import { describe, expect, it } from 'vitest'
import { errorCodeOfEngine, errorCodeOfStatus } from './playback-error.ts'

const NOW = 1_800_000_000_000
const encoded = (value: object) =>
  btoa(String.fromCharCode(...new TextEncoder().encode(JSON.stringify(value))))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
const urlOf = (claims: object) =>
  `https://video.example/play/${encoded({ alg: 'EdDSA' })}.${encoded(claims)}.c2ln/acme12/1/`

const expired = urlOf({ exp: NOW / 1000 - 1, watermark: 'Zoë ÿÿ>>??' })
const valid = urlOf({ exp: NOW / 1000 + 60 })

/** A URL with the token of an asset response, which has the given version and expiration time. */
function urlOfAssetToken(version: number, exp: number): string {
  const bytes = new Uint8Array(42).fill(255)
  const view = new DataView(bytes.buffer)
  view.setUint8(0, version)
  view.setUint32(1, exp)
  const token = btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
  return `https://video.example/play/${token}/acme12/019a0000-0000-7000-8000-000000000000/`
}

describe('errorCodeOfStatus', () => {
  it.each([
    [403, expired, 'expired'],
    [403, valid, 'denied'],
    [403, urlOfAssetToken(1, NOW / 1000 - 1), 'expired'],
    [403, urlOfAssetToken(1, NOW / 1000 + 60), 'denied'],
    [403, urlOfAssetToken(2, NOW / 1000 - 1), 'denied'],
    [401, 'https://video.example/play/open/acme12/1/', 'denied'],
    [403, urlOf({}), 'denied'],
    [403, 'https://video.example/play/eyJx.eyJ!.x/acme12/1/', 'denied'],
    [404, expired, 'missing'],
    [429, valid, 'busy'],
    [503, valid, 'busy'],
    [400, valid, 'broken'],
  ])('maps status %d of %s to %s', (status, src, code) => {
    expect(errorCodeOfStatus(status, src, NOW)).toBe(code)
  })
})

describe('errorCodeOfEngine', () => {
  const refused = (status: number, request: number) => ({
    category: 1,
    code: 1001,
    data: ['https://video.example/x', status, '', {}, request, 'https://video.example/x'],
  })
  const license = (inner: object) => ({ category: 6, code: 6007, data: [inner] })

  it.each([
    ['a segment refused before the token expires', refused(403, 1), valid, 'denied'],
    ['a segment refused after the token has expired', refused(403, 1), expired, 'expired'],
    ['a refused key', refused(403, 6), valid, 'key'],
    ['a key refused after the token has expired', refused(403, 6), expired, 'expired'],
    ['a refused license', license(refused(403, 2)), valid, 'key'],
    ['an unreachable license server', license({ category: 1, code: 1002, data: [] }), valid, 'offline'],
    ['a missing manifest', refused(404, 0), valid, 'missing'],
    ['a network failure', { category: 1, code: 1002, data: [] }, valid, 'offline'],
    ['a timeout', { category: 1, code: 1003, data: [] }, valid, 'offline'],
    ['no license server', { category: 6, code: 6012, data: [] }, valid, 'key'],
    ['no key system', { category: 6, code: 6001, data: [] }, valid, 'unsupported'],
    ['no decoder', { category: 4, code: 4032, data: [] }, valid, 'unsupported'],
    ['an undecodable frame', { category: 3, code: 3016, data: [] }, valid, 'broken'],
  ])('classifies %s', (_, error, src, code) => {
    expect(errorCodeOfEngine(error, src, NOW)).toBe(code)
  })
})

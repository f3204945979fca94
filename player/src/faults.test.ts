import { describe, expect, it } from 'vitest'
import { faultOfEngine, faultOfStatus } from './faults.ts'

const NOW = 1_800_000_000_000
const encoded = (value: object) =>
  btoa(String.fromCharCode(...new TextEncoder().encode(JSON.stringify(value))))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
const addressOf = (claims: object) =>
  `https://video.example/play/${encoded({ alg: 'EdDSA' })}.${encoded(claims)}.c2ln/acme12/1/`

const expired = addressOf({ exp: NOW / 1000 - 1, watermark: 'Zoë ÿÿ>>??' })
const valid = addressOf({ exp: NOW / 1000 + 60 })

describe('an answer', () => {
  it.each([
    [403, expired, 'expired'],
    [403, valid, 'denied'],
    [401, 'https://video.example/play/open/acme12/1/', 'denied'],
    [403, addressOf({}), 'denied'],
    [403, 'https://video.example/play/eyJx.eyJ!.x/acme12/1/', 'denied'],
    [404, expired, 'missing'],
    [429, valid, 'busy'],
    [503, valid, 'busy'],
    [400, valid, 'broken'],
  ])('of %d at %s is told as another thing than the rest: %#', (status, src, fault) => {
    expect(faultOfStatus(status, src, NOW)).toBe(fault)
  })
})

describe('an error of the engine', () => {
  const refused = (status: number, request: number) => ({
    category: 1,
    code: 1001,
    data: ['https://video.example/x', status, '', {}, request, 'https://video.example/x'],
  })
  const licence = (inner: object) => ({ category: 6, code: 6007, data: [inner] })

  it.each([
    ['a piece that is refused in time', refused(403, 1), valid, 'denied'],
    ['a piece that is refused too late', refused(403, 1), expired, 'expired'],
    ['a key that is refused', refused(403, 6), valid, 'key'],
    ['a key that is refused too late', refused(403, 6), expired, 'expired'],
    ['a licence that is refused', licence(refused(403, 2)), valid, 'key'],
    [
      'a licence that cannot be fetched',
      licence({ category: 1, code: 1002, data: [] }),
      valid,
      'offline',
    ],
    ['a manifest that is gone', refused(404, 0), valid, 'missing'],
    ['a line that is down', { category: 1, code: 1002, data: [] }, valid, 'offline'],
    ['a line that is too slow', { category: 1, code: 1003, data: [] }, valid, 'offline'],
    ['no server for licences', { category: 6, code: 6012, data: [] }, valid, 'key'],
    ['no key system', { category: 6, code: 6001, data: [] }, valid, 'unsupported'],
    ['no decoder', { category: 4, code: 4032, data: [] }, valid, 'unsupported'],
    ['a picture that cannot be read', { category: 3, code: 3016, data: [] }, valid, 'broken'],
  ])('%s', (_, error, src, fault) => {
    expect(faultOfEngine(error, src, NOW)).toBe(fault)
  })
})

import { describe, expect, it } from 'vitest'
import { byMonth, edgeDeliveryOf, usageRange } from './usage.rules.ts'

const now = Date.parse('2026-11-18T23:30:00Z')

describe('usageRange', () => {
  it('is the last 30 days by default, and ends today at the latest', () => {
    expect(usageRange({}, now)).toEqual({ from: '2026-10-20', to: '2026-11-18' })
    expect(usageRange({ from: '2026-11-18', to: '2027-01-01' }, now)).toEqual({ from: '2026-11-18', to: '2026-11-18' })
    expect(usageRange({ to: '2026-03-01' }, now)).toEqual({ from: '2026-01-31', to: '2026-03-01' })
  })

  it('throws if the first day is after the last one, or if there are too many days', () => {
    expect(() => usageRange({ from: '2026-11-19' }, now)).toThrow('must not be after')
    expect(usageRange({ from: '2025-09-15' }, now).from).toBe('2025-09-15')
    expect(() => usageRange({ from: '2025-09-14' }, now)).toThrow('At most 430 days can be requested at once (got 431)')
  })
})

describe('byMonth', () => {
  const day = (day: string, storedBytes: number, apiRequests: number) => ({
    ...{ day, storedBytes, apiRequests, renditionBytes: 0, assets: 0 },
    ...{ encodedSeconds: 1, deliveredBytes: 2, deliveredSeconds: 3 },
  })

  it('returns the state at the end of each month and the sum of everything else', () => {
    expect(byMonth([day('2026-10-31', 5, 1), day('2026-11-01', 7, 2), day('2026-11-02', 6, 3)])).toEqual([
      { ...day('2026-10', 5, 1) },
      { ...day('2026-11', 6, 5), encodedSeconds: 2, deliveredBytes: 4, deliveredSeconds: 6 },
    ])
  })
})

describe('edgeDeliveryOf', () => {
  const asset = '019a83b5-6a40-7c11-9d5e-0f2b7f6c1a2e'
  const line = (name: string, rest: string) =>
    `192.0.2.1 [2026-11-18T01:30:00+02:00] "GET /play/-/acme12/${asset}/${name}" ${rest}`

  it('reads a segment that was served from the cache, with its day in UTC', () => {
    expect(edgeDeliveryOf(line('video-encode-1/240p/00012.m4s', '200 1234 0.001 HIT'))).toEqual({
      ...{ day: '2026-11-17', organizationId: 'acme12', assetId: asset, version: 1, bytes: 1234 },
      segment: { track: '240p', number: 12 },
    })
    expect(edgeDeliveryOf(line('v3/video-encode-1/240p/00012.m4s', '200 1234 0.001 HIT'))).toMatchObject({
      version: 3,
      segment: { track: '240p', number: 12 },
    })
    expect(edgeDeliveryOf(line('pictures-1/cover.jpg', '206 10 0.001 STALE'))).toMatchObject({
      segment: null,
      bytes: 10,
    })
  })

  it.each([
    line('video-encode-1/240p/00012.m4s', '200 1234 0.001 MISS'),
    line('video-encode-1/240p/00012.m4s', '403 1234 0.001 HIT'),
    line('master.m3u8', '200 1234 0.001 -'),
    '192.0.2.1 [2026-11-18T01:30:00+02:00] "GET -" 404 0 0.001 -',
    `192.0.2.1 [not a time] "GET /play/-/acme12/${asset}/a/b.jpg" 200 1 0.001 HIT`,
    '',
  ])('ignores %j', (text) => {
    expect(edgeDeliveryOf(text)).toBeUndefined()
  })
})

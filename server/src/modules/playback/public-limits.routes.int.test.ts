/** The limit of public requests that find nothing, by IP address. */
import { PlaybackFixture, TestApi } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { beforeEach, describe, expect, it } from 'vitest'

const fixture = await opened(PlaybackFixture.open())
beforeEach(async () => {
  await fixture.begin()
  await fixture.publishOpening()
})

const settings = { FAILED_PLAYBACK_PER_MINUTE: '3', TRUSTED_PROXY_HOPS: '1' }
const from = (ip: string) => ({ 'x-forwarded-for': ip })
let next = 0
const inventedId = () => `no${String(next++).padStart(6, '0')}`
/** A URL of an organization and a video that do not exist. */
const inventedIn = {
  play: () => `/play/open/${inventedId()}/${crypto.randomUUID()}/master.m3u8`,
  'play-access': () => `/play-access/open/${inventedId()}/${crypto.randomUUID()}/`,
}

const get = (api: TestApi, path: string, ip = '192.0.2.1') =>
  api.send({ method: 'GET', path, headers: from(ip), body: undefined })

describe.each(Object.entries(inventedIn))('an IP address that requests invented URLs of %s', (_, invented) => {
  it('gets 429 with the RateLimit headers beyond the limit', async () => {
    await using api = await TestApi.open(settings)
    for (const left of [2, 1, 0]) {
      const { status, headers } = await get(api, invented())
      expect(status).not.toBe(429)
      expect(headers['ratelimit-policy']).toBe('"failed-playback";q=3;w=60')
      expect(headers['ratelimit']).toMatch(new RegExp(`^"failed-playback";r=${left};t=\\d+$`))
    }
    const { status, headers, text } = await get(api, invented())
    expect([status, JSON.parse(text).code]).toEqual([429, 'rate_limited'])
    expect(Number(headers['retry-after'])).toBeGreaterThan(0)
    expect((await get(api, invented(), '192.0.2.2')).status).not.toBe(429)
  })
})

it('an IP address beyond the limit can play a video, before and after it was delivered there', async () => {
  await using api = await TestApi.open(settings)
  const path = fixture.pathTo(fixture.small0)
  const exceed = async () => {
    for (let count = 0; count < 5; count++) await get(api, inventedIn.play())
  }
  await exceed()
  expect((await get(api, path)).status).toBe(200)
  await exceed()
  const viewers = await Promise.all(Array.from({ length: 20 }, () => get(api, path)))
  expect(viewers.map(({ status }) => status)).toEqual(Array(20).fill(200))
})

it('requests that succeed are not counted', async () => {
  await using api = await TestApi.open(settings)
  const path = fixture.pathTo(fixture.small0)
  for (let count = 0; count < 10; count++) expect((await get(api, path)).status).toBe(200)
  expect((await get(api, inventedIn.play())).headers['ratelimit']).toMatch(/^"failed-playback";r=2;/)
})

it('an IP address beyond the limit can play a video while its other requests are in progress', async () => {
  await using api = await TestApi.open(settings)
  for (let count = 0; count < 4; count++) await get(api, inventedIn.play())
  const invented = Array.from({ length: 10 }, () => get(api, inventedIn.play()))
  expect((await get(api, fixture.pathTo(fixture.small0))).status).toBe(200)
  expect((await Promise.all(invented)).map(({ status }) => status)).toEqual(Array(10).fill(429))
})

it('a refusal that an edge repeats at the API is counted once', async () => {
  await using api = await TestApi.open(settings)
  for (const left of [2, 1, 0]) {
    const video = `open/${inventedId()}/${crypto.randomUUID()}`
    for (const path of [`/play-access/${video}/`, `/play/${video}/master.m3u8`]) {
      expect((await get(api, path)).headers['ratelimit']).toMatch(new RegExp(`^"failed-playback";r=${left};`))
    }
  }
})

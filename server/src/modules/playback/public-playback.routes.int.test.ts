/** CORS and rate limits of playback: any origin, without a limit. */
import { PlaybackFixture, TestApi } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { beforeEach, describe, expect, it } from 'vitest'

const fixture = await opened(PlaybackFixture.open({ API_ORIGINS: 'https://studio.example' }))
const { small0, testApi } = fixture
beforeEach(() => fixture.begin())

describe('a page of any origin', () => {
  it.each(['https://anybody.example', 'https://studio.example'])('can read all playback URLs: %s', async (origin) => {
    await fixture.publishOpening()
    for (const path of ['master.m3u8', small0]) {
      const { headers } = await fixture.ask(path, { origin })
      expect(headers['access-control-allow-origin']).toBe('*')
      expect(headers['access-control-expose-headers']).toContain('Content-Range')
      expect(headers['access-control-expose-headers']).toContain('ETag')
      // The response is the same for all origins, so a cache needs only one entry.
      expect(headers).not.toHaveProperty('vary')
      expect(headers).not.toHaveProperty('access-control-allow-credentials')
    }
  })

  it('204: may send range requests', async () => {
    const { status, headers } = await testApi.send({
      method: 'OPTIONS',
      path: fixture.pathTo(small0),
      headers: {
        origin: 'https://studio.example',
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'range',
      },
      body: undefined,
    })
    expect(status).toBe(204)
    expect(headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET, HEAD, POST',
      'access-control-allow-headers': 'Range, If-None-Match, If-Range, Content-Type',
    })
  })
})

it("playback does not count against the organization's rate limit", async () => {
  await using strict = await TestApi.open({ RATE_LIMIT_PER_MINUTE: '1' })
  await fixture.publishOpening()
  const path = fixture.pathTo(small0)
  for (let time = 0; time < 5; time++) {
    expect(await strict.send({ method: 'GET', path, headers: {}, body: undefined })).toMatchObject({
      status: 200,
    })
  }
})

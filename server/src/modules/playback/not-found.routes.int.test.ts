/** Requests for files that are never served. */
import { PlaybackFixture } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { beforeEach, describe, expect, it } from 'vitest'

const fixture = await opened(PlaybackFixture.open())
const { small0, publisher, testApi } = fixture
beforeEach(() => fixture.begin())

describe('GET a playback file: 404', () => {
  it.each(['master.m3u8', '240p.m3u8', 'manifest.mpd', '240p-iframes.m3u8', 'subtitles-de.m3u8', small0])(
    'is returned for %s of a video that has nothing to play yet',
    async (path) => {
      const response = await fixture.ask(path)
      expect(response.status).toBe(404)
      expect(response.headers).toMatchObject({
        'content-type': 'application/problem+json; charset=utf-8',
        'cache-control': 'no-store',
        'access-control-allow-origin': '*',
      })
    },
  )

  it.each([
    '480p.m3u8',
    'audio-iframes.m3u8',
    'video-encode-1/240p/00001.m4s',
    'video-encode-9/240p/00000.m4s',
    'video-encode-1/%2e%2e%2fvideo-encode-1/240p/00000.m4s',
    '%2e%2e%2f%2e%2e%2fother/asset/video-encode-1/240p/00000.m4s',
    'video-encode-1%2f240p%2f00000.ts',
    '',
  ])('is returned for a file that does not exist: %s', async (path) => {
    await fixture.publishOpening()
    expect((await fixture.ask(path)).status).toBe(404)
  })

  it('is returned for files of attempts that did not publish them', async () => {
    await fixture.publishOpening()
    const own = `${fixture.place.organizationId}/${fixture.place.assetId}/`
    const unpublished = [
      'video-encode-7/240p/00000.m4s',
      'video-encode-7/240p/init.mp4',
      'video-encode-1/240p/00001.m4s',
      'video-encode-1/720p/00000.m4s',
      'video-pictures-7/cover.jpg',
      'video-pictures-7/storyboard.vtt',
      'video-transcribe-7/de.vtt',
      'subtitles/00000000-0000-7000-8000-000000000000.vtt',
    ]
    for (const name of unpublished) {
      await publisher.put(`${own}${name}`, 'secret')
      for (const method of ['GET', 'HEAD'] as const) {
        expect([name, (await fixture.ask(name, {}, method)).status]).toEqual([name, 404])
      }
    }
  })

  it.each(['aes', 'drm'])(
    'is returned for every file of a video that should be protected by %s but has no keys',
    async (type) => {
      await fixture.newVideo({ content_protection_type: type })
      await fixture.publishAll()
      await publisher.setStatus(fixture.place, 'Completed')
      for (const path of ['master.m3u8', '240p.m3u8', 'manifest.mpd', small0]) {
        for (const method of ['GET', 'HEAD'] as const) {
          expect((await fixture.ask(path, {}, method)).status).toBe(404)
        }
      }
      expect(JSON.parse((await fixture.ask('master.m3u8')).text)).toMatchObject({
        detail: expect.stringContaining('protected'),
      })
    },
  )

  it('is returned for a video of another organization and for a deleted one', async () => {
    await fixture.publishOpening()
    const { organizationId } = await testApi.newOrganization()
    const mine = fixture.place
    for (const foreign of [organizationId, 'nobody00', 'x', '%00', 'ACME1234']) {
      fixture.place = { ...mine, organizationId: foreign }
      expect((await fixture.ask('master.m3u8')).status).toBe(404)
      expect((await fixture.ask(small0)).status).toBe(404)
    }
    fixture.place = { ...mine, assetId: 'not-a-uuid' }
    expect((await fixture.ask('master.m3u8')).status).toBe(404)
    fixture.place = mine
    expect((await fixture.caller.delete(`assets/${mine.assetId}/`)).status).toBe(204)
    expect((await fixture.ask(small0)).status).toBe(404)
  })
})

/** DRM-protected videos, encoded by the real pipeline and played in Chromium with the license server of the service. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { opened } from '@reelkeep/testkit/vitest'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isCompleted, openMediaFixture, uploadVideo, waitForVideo } from '../media/media-fixture.ts'
import { openPlayers } from './players.ts'

const run = promisify(execFile)
const fixture = await opened(openMediaFixture('browser_drm'))
const players = await opened(openPlayers())

const SECONDS = 10
let directory: string
let film: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'reelkeep-drm-browser-'))
  film = join(directory, 'film.mp4')
  const inputs = [
    ...['-f', 'lavfi', '-i', `testsrc2=size=426x240:rate=30:duration=${SECONDS}`],
    ...['-f', 'lavfi', '-i', `sine=frequency=440:sample_rate=48000:duration=${SECONDS}`],
  ]
  const codecs = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-c:a', 'aac']
  await run('ffmpeg', ['-v', 'error', ...inputs, ...codecs, film])
})
afterAll(() => rm(directory, { recursive: true, force: true }))

describe.each(['cbcs', 'cenc'])('a DRM-protected video with the scheme %s', (scheme) => {
  /** Base URL with a playback token; `unauthorizedUrl` has none. */
  let authorizedUrl: string
  let unauthorizedUrl: string
  beforeAll(async () => {
    const worker = await fixture.startWorker({ DRM_SCHEME: scheme })
    const caller = await fixture.newCaller()
    const options = { resolutions: ['240p'], content_protection_type: 'drm' }
    const assetId = await uploadVideo(caller, film, options)
    const video = await waitForVideo(caller, assetId, isCompleted, 120)
    await worker.stop()
    authorizedUrl = (video.playback_url ?? '').replace('master.m3u8', '')
    unauthorizedUrl = authorizedUrl.replace(/\/play\/[^/]+\//, '/play/open/')
  })

  it.each(['manifest.mpd', 'master.m3u8'])('plays to its end from %s', async (manifest) => {
    const licenseUrl = `${authorizedUrl}license`
    const url = authorizedUrl + manifest
    await using viewer = await players.play({ engine: 'shaka', url, licenseUrl, rate: 2 })
    const seen = await viewer.watchUntil(({ hasEnded }) => hasEnded)
    expect(seen).toMatchObject({ errors: [], hasEnded: true, heights: [240] })
    expect(seen.currentSeconds).toBeCloseTo(SECONDS, 0)
    expect(seen.frames).toBeGreaterThan(SECONDS * 30 - 5)
    expect(seen.audioBytes).toBeGreaterThan(0)
  })

  it('does not play without a license', async () => {
    const url = `${authorizedUrl}manifest.mpd`
    for (const licenseUrl of [undefined, `${unauthorizedUrl}license`]) {
      const options = { engine: 'shaka', url, ...(licenseUrl && { licenseUrl }) } as const
      await using viewer = await players.play(options)
      const seen = await viewer.watchUntil(({ frames }) => frames > 0)
      // Errors of shaka-player: 6012, no license server is configured; 6007, the license request failed.
      expect(seen.errors.join()).toMatch(/shaka: 60(?:12|07)/)
      expect(seen).toMatchObject({ frames: 0, audioBytes: 0 })
    }
  })

  it('does not play without a playback token', async () => {
    for (const manifest of ['manifest.mpd', 'master.m3u8']) {
      const url = unauthorizedUrl + manifest
      await using viewer = await players.play({
        engine: 'shaka',
        url,
        licenseUrl: `${authorizedUrl}license`,
      })
      const seen = await viewer.watchUntil(({ frames }) => frames > 0)
      expect(seen).toMatchObject({ frames: 0, errors: [expect.stringContaining('1001')] })
    }
  })
})

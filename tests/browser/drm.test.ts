/**
 * Videos under common encryption, made by the real pipeline, in a real browser with the licence
 * server of the service.
 */
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { opened } from '@reelkeep/testkit/vitest'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isCompleted, openMediaStage, uploadVideo, videoBecomes } from '../media/media-stage.ts'
import { openPlayers } from './players.ts'

const run = promisify(execFile)
const stage = await opened(openMediaStage('browser_drm'))
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

describe.each(['cbcs', 'cenc'])('%s', (scheme) => {
  /** Where those find it who have been let in, and where nobody does. */
  let own: string
  let closed: string
  beforeAll(async () => {
    const worker = await stage.startWorker({ DRM_SCHEME: scheme })
    const caller = await stage.newCaller()
    const wish = { resolutions: ['240p'], content_protection_type: 'drm' }
    const assetId = await uploadVideo(caller, film, wish)
    const video = await videoBecomes(caller, assetId, isCompleted, 120)
    await worker.stop()
    own = (video.playback_url ?? '').replace('master.m3u8', '')
    closed = own.replace(/\/play\/[^/]+\//, '/play/open/')
  })

  it.each(['manifest.mpd', 'master.m3u8'])('plays to its end by %s', async (manifest) => {
    const licenceUrl = `${own}licence`
    const url = own + manifest
    await using viewer = await players.play({ engine: 'shaka', url, licenceUrl, rate: 2 })
    const seen = await viewer.watchUntil(({ hasEnded }) => hasEnded)
    expect(seen).toMatchObject({ errors: [], hasEnded: true, heights: [240] })
    expect(seen.currentSeconds).toBeCloseTo(SECONDS, 0)
    expect(seen.frames).toBeGreaterThan(SECONDS * 30 - 5)
    expect(seen.audioBytes).toBeGreaterThan(0)
  })

  it('shows nothing without a licence', async () => {
    const url = `${own}manifest.mpd`
    for (const licenceUrl of [undefined, `${closed}licence`]) {
      const screening = { engine: 'shaka', url, ...(licenceUrl && { licenceUrl }) } as const
      await using viewer = await players.play(screening)
      const seen = await viewer.watchUntil(({ frames }) => frames > 0)
      // 6012: no licence server is known; 6007: it has refused.
      expect(seen.errors.join()).toMatch(/shaka: 60(?:12|07)/)
      expect(seen).toMatchObject({ frames: 0, audioBytes: 0 })
    }
  })

  it('is not to be had by those who were not let in', async () => {
    for (const manifest of ['manifest.mpd', 'master.m3u8']) {
      const url = closed + manifest
      await using viewer = await players.play({ engine: 'shaka', url, licenceUrl: `${own}licence` })
      const seen = await viewer.watchUntil(({ frames }) => frames > 0)
      expect(seen).toMatchObject({ frames: 0, errors: [expect.stringContaining('1001')] })
    }
  })
})

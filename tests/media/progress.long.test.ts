/** Tests the progress events on the event stream while a video is encoded. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { events } from '@reelkeep/contract'
import { EventFeed } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { isCompleted, openMediaFixture, uploadVideo, waitForVideo } from './media-fixture.ts'

const run = promisify(execFile)
const fixture = await opened(openMediaFixture('progress'))

let directory: string
let film: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'reelkeep-progress-test-'))
  film = join(directory, 'film.mp4')
  const video = ['-f', 'lavfi', '-i', 'testsrc2=size=640x360:rate=30:duration=60']
  const codec = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p']
  await run('ffmpeg', ['-v', 'error', ...video, ...codec, film])
  await fixture.startWorker()
})
afterAll(() => rm(directory, { recursive: true, force: true }))

it('progress never decreases while a video is encoded, and progress events have no id', async () => {
  const caller = await fixture.newCaller()
  const query = '?types=asset.progress'
  await using feed = await EventFeed.open({ baseUrl: fixture.api.baseUrl, caller, query })
  const assetId = await uploadVideo(caller, film, { resolutions: ['240p', '360p'] })
  await waitForVideo(caller, assetId, isCompleted, 120)
  const progressEvents = feed.messages.map(({ data }) => data['data'] as events.Progress)
  expect(progressEvents.length).toBeGreaterThan(0)
  expect(new Set(progressEvents.map(({ id }) => id))).toEqual(new Set([assetId]))
  const shares = progressEvents.map(({ progress }) => progress)
  expect(shares).toEqual([...shares].sort((a, b) => a - b))
  expect(shares.at(-1)).toBeGreaterThan(0)
  expect(progressEvents.at(-1)?.renditions.map(({ name }) => name)).toEqual(['240p', '360p'])
  expect(new Set(feed.messages.map(({ id }) => id))).toEqual(new Set([undefined]))
}, 180_000)

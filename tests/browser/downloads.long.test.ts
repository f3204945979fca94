/** Downloads an MP4 in Chromium, and plays it from the link. */
import { readFile } from 'node:fs/promises'
import type { downloads } from '@reelkeep/contract'
import { ApiProcess, Caller, newOrganization, openOwner, openSession, Publisher } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { expect, it } from 'vitest'
import { openChromium } from './chromium.ts'
import { FRAMES_PER_SECOND, packageVideo, SEGMENT_SECONDS } from './packaged-video.ts'

const SEGMENTS = 4
const SECONDS = SEGMENTS * SEGMENT_SECONDS

const api = await opened(ApiProcess.start())
const publisher = await opened(Publisher.open())
const browser = await openChromium()
const page = await browser.newPage()

async function newDownload(): Promise<downloads.Download> {
  await using owner = openOwner()
  const { organizationId, token } = await newOrganization(owner)
  const caller = new Caller(api.send, organizationId, token)
  const { asset } = await openSession(caller, { title: 'Zürich', content_protection_type: 'disable' })
  const video = { organizationId, assetId: asset.id }
  const packaged = await packageVideo(SEGMENTS)
  await publisher.plan(video, packaged.plan)
  for (const { name } of packaged.plan.tracks) await publisher.publish(video, packaged.part(name, 0, SEGMENTS))
  const { body } = await caller.post<downloads.Download>(`assets/${asset.id}/downloads/`, { kind: 'mp4' })
  return body
}

const download = await newDownload()

type Watched = { duration: number; frames: number; audioBytes: number; sought: number }

it('an MP4 plays from its link, with audio, can be sought and ends at the end', async () => {
  const watched = await page.evaluate<Watched>(`(async () => {
    const video = document.createElement('video')
    document.body.append(video)
    const next = (name) =>
      new Promise((resolve, reject) => {
        video.addEventListener(name, resolve, { once: true })
        video.addEventListener('error', () => reject(new Error(video.error.message)), { once: true })
      })
    video.src = ${JSON.stringify(download.url)}
    await next('loadedmetadata')
    video.currentTime = 5
    await next('seeked')
    const sought = video.currentTime
    video.currentTime = 0
    await next('seeked')
    video.playbackRate = 2
    await video.play()
    await next('ended')
    const { totalVideoFrames: frames } = video.getVideoPlaybackQuality()
    const { duration, webkitAudioDecodedByteCount: audioBytes } = video
    return { duration, frames, audioBytes, sought }
  })()`)
  expect(watched.duration).toBeCloseTo(SECONDS, 1)
  expect(watched.sought).toBe(5)
  expect(watched.frames).toBeGreaterThan(0.9 * SECONDS * FRAMES_PER_SECOND)
  expect(watched.audioBytes).toBeGreaterThan(0)
})

it('the browser saves an MP4 under the title, with all bytes', async () => {
  const [saved] = await Promise.all([
    page.waitForEvent('download'),
    page.evaluate(`void (location.href = ${JSON.stringify(download.url)})`),
  ])
  expect(saved.suggestedFilename()).toBe('Zürich.mp4')
  const response = await fetch(download.url)
  expect((await readFile(await saved.path())).equals(Buffer.from(await response.arrayBuffer()))).toBe(true)
  await browser.close()
})

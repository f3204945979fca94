/** Errors shown to viewers, and videos that are still being processed, based on published database rows and objects. */
import { setOpen } from '@reelkeep/server/modules/organizations/organizations.ts'
import {
  ApiProcess,
  Caller,
  newOrganization,
  openOwner,
  openSession,
  Publisher,
  type VideoRef,
} from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { accessibilityViolations } from '../accessibility.ts'
import { openChromium } from '../chromium.ts'
import { packageVideo, SEGMENT_SECONDS } from '../packaged-video.ts'
import { doesNotPlay, inPlayer, reallyPlays, watchUntil } from './watching.ts'

const SEGMENTS = 10
const SECONDS = SEGMENTS * SEGMENT_SECONDS

const api = await opened(ApiProcess.start())
const publisher = await opened(Publisher.open())
const browser = await opened(openChromium())
const packaged = await packageVideo(SEGMENTS)

async function newVideo(): Promise<VideoRef> {
  await using owner = openOwner()
  const { organizationId, token } = await newOrganization(owner)
  await setOpen(owner.forOrganization(organizationId), true)
  const caller = new Caller(api.send, organizationId, token)
  const { asset } = await openSession(caller, { content_protection_type: 'disable' })
  return { organizationId, assetId: asset.id }
}

async function publish(video: VideoRef, tracks: readonly string[], first: number, end: number) {
  for (const track of tracks) await publisher.publish(video, packaged.part(track, first, end))
}

async function newWholeVideo(): Promise<VideoRef> {
  const video = await newVideo()
  await publisher.plan(video, packaged.plan)
  await publish(video, ['240p', '480p', 'audio'], 0, SEGMENTS)
  await publisher.setStatus(video, 'Completed')
  return video
}

const pageOf = ({ organizationId, assetId }: VideoRef, more = '') =>
  `${api.baseUrl}/embed/${organizationId}/${assetId}/${more}`

const newPage = async () => (await browser.newContext()).newPage()

async function errorHeading(page: Page): Promise<string | null> {
  await page.getByRole('alert').waitFor()
  return page.locator('.screen-title').textContent()
}

const errorCodeOf = async (page: Page, code: string) =>
  (await watchUntil(page, ({ errorCode }) => errorCode === code)).errorCode

describe('the player for a missing video', () => {
  it('shows an accessible error message', async () => {
    const page = await newPage()
    const video = await newVideo()
    await page.goto(pageOf({ ...video, assetId: video.assetId.replace(/.{12}$/, '000000000000') }))
    expect(await errorHeading(page)).toBe('Video not found')
    expect(await doesNotPlay(page)).toBe('missing')
    expect(await accessibilityViolations(page)).toEqual([])
  })
})

describe('the player for a link that the service rejects', () => {
  const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const tokenExpiringAt = (seconds: number) =>
    `${encoded({ alg: 'EdDSA' })}.${encoded({ exp: Math.floor(Date.now() / 1000) + seconds })}.c2ln`

  it.each([
    ['This link has expired', 'expired', -60],
    ['You do not have access to this video', 'denied', 3600],
  ])('shows the reason: %s', async (heading, code, seconds) => {
    const page = await newPage()
    const video = await newVideo()
    await page.route('**/about.json', (route) => route.fulfill({ status: 403, body: '{}' }))
    await page.goto(pageOf(video))
    const src = `/play/${tokenExpiringAt(seconds)}/${video.organizationId}/${video.assetId}/`
    await page.evaluate(`document.querySelector('reelkeep-player').setAttribute('src', '${src}')`)
    expect(await errorCodeOf(page, code)).toBe(code)
    expect(await errorHeading(page)).toBe(heading)
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0)
    expect(await accessibilityViolations(page)).toEqual([])
  })

  it('shows a key error if only the key is denied, and reports it to the page', async () => {
    const page = await newPage()
    const video = await newWholeVideo()
    await page.route('**/*.m3u8', async (route) => {
      const response = await route.fetch()
      const key = '#EXT-X-KEY:METHOD=AES-128,URI="keys/0.key",IV=0x00000000000000000000000000000000'
      const body = (await response.text()).replace(/#EXTINF/, `${key}\n#EXTINF`)
      await route.fulfill({ response, body })
    })
    await page.route('**/keys/*', (route) => route.fulfill({ status: 403, body: '' }))
    await page.goto(pageOf(video))
    await page.evaluate(`
      document.querySelector('reelkeep-player').addEventListener('error', ({ detail }) => {
        globalThis.received = detail.code
      })
    `)
    expect(await doesNotPlay(page)).toBe('key')
    expect(await page.evaluate('globalThis.received')).toBe('key')
  })
})

it('the player shows that the connection is lost, and a retry resumes at the same position', async () => {
  const page = await newPage()
  await page.goto(pageOf(await newWholeVideo(), '?muted=1'))
  // Only the first segments are reachable, as if the connection failed a moment later.
  await page.route(/000\d[3-9]\.m4s$/, (route) => route.abort('internetdisconnected'))
  await page.locator('.frame[data-state=ready]').waitFor()
  await page.evaluate('void document.querySelector("reelkeep-player").play()')
  expect(await errorCodeOf(page, 'offline')).toBe('offline')
  expect(await errorHeading(page)).toBe('Connection lost')
  expect(await accessibilityViolations(page)).toEqual([])
  await page.unroute(/000\d[3-9]\.m4s$/)
  await page.getByRole('button', { name: 'Try again' }).click()
  expect(await reallyPlays(page)).toMatchObject({ plays: true, errorCode: null })
})

it('the player shows an error if the browser cannot play the video', async () => {
  const page = await newPage()
  await page.addInitScript(`
    for (const name of ['MediaSource', 'ManagedMediaSource', 'WebKitMediaSource']) delete globalThis[name]
    HTMLMediaElement.prototype.canPlayType = () => ''
  `)
  await page.goto(pageOf(await newWholeVideo()))
  expect(await errorHeading(page)).toBe('This browser cannot play this video')
})

describe('the player for a video that is still being processed', () => {
  it('starts automatically when the video becomes playable, and plays it to its end', async () => {
    const page = await newPage()
    const video = await newVideo()
    await page.goto(pageOf(video, '?autoplay=1&muted=1&resume=off'))
    expect(await errorHeading(page)).toBe('Processing video')
    expect(await accessibilityViolations(page)).toEqual([])

    await publisher.plan(video, packaged.plan)
    await publish(video, ['240p', 'audio'], 0, 4)
    const first = await watchUntil(page, ({ seconds, frames }) => frames > 0 && seconds > 1)
    expect(first).toMatchObject({ errorCode: null })
    expect(await inPlayer(page, 'video.played.start(0)')).toBeLessThan(0.5)
    // Plays slowly, so that the video has not ended when the higher quality is ready.
    await page.evaluate('document.querySelector("reelkeep-player").playbackRate = 0.5')

    await publish(video, ['240p', 'audio'], 4, SEGMENTS)
    await publish(video, ['480p'], 0, SEGMENTS)
    await publisher.setStatus(video, 'Completed')
    await page.getByText('A higher quality is available').waitFor()
    await page.getByRole('button', { name: 'Switch' }).click()
    await page.locator('.frame[data-state=ready]').waitFor()
    await page.evaluate('document.querySelector("reelkeep-player").playbackRate = 2')
    const last = await watchUntil(page, ({ hasEnded }) => hasEnded)
    expect(last).toMatchObject({ hasEnded: true, errorCode: null })
    expect(last.seconds).toBeCloseTo(SECONDS, 0)
    expect(await inPlayer(page, 'video.videoHeight')).toBe(480)
  })

  it('shows that processing failed if processing was cancelled before the video was playable', async () => {
    const page = await newPage()
    const video = await newVideo()
    await publisher.plan(video, packaged.plan)
    await publisher.setStatus(video, 'Cancelled')
    await page.goto(pageOf(video))
    expect(await errorHeading(page)).toBe('This video could not be processed')
  })
})

/**
 * What viewers are told when a video does not play, and a video that is still made: on rows and
 * objects as the processing leaves them.
 */
import { setOpen } from '@reelkeep/server/capabilities/organizations/organizations.ts'
import {
  ApiProcess,
  Caller,
  newOrganization,
  openOwner,
  openSession,
  Publisher,
  type VideoPlace,
} from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { faultsOfAccess } from '../browser/access-faults.ts'
import { openChromium } from '../browser/chromium.ts'
import { packageVideo, SEGMENT_SECONDS } from '../browser/packaged-video.ts'
import { doesNotPlay, inPlayer, reallyPlays, watchUntil } from './watching.ts'

const SEGMENTS = 10
const SECONDS = SEGMENTS * SEGMENT_SECONDS

const api = await opened(ApiProcess.start())
const publisher = await opened(Publisher.open())
const browser = await opened(openChromium())
const made = await packageVideo(SEGMENTS)

async function newVideo(): Promise<VideoPlace> {
  await using owner = openOwner()
  const { organizationId, token } = await newOrganization(owner)
  await setOpen(owner.forOrganization(organizationId), true)
  const caller = new Caller(api.send, organizationId, token)
  const { asset } = await openSession(caller, { content_protection_type: 'disable' })
  return { organizationId, assetId: asset.id }
}

async function publish(place: VideoPlace, tracks: readonly string[], first: number, end: number) {
  for (const track of tracks) await publisher.publish(place, made.part(track, first, end))
}

async function newWholeVideo(): Promise<VideoPlace> {
  const place = await newVideo()
  await publisher.plan(place, made.plan)
  await publish(place, ['240p', '480p', 'audio'], 0, SEGMENTS)
  await publisher.setStatus(place, 'Completed')
  return place
}

const pageOf = ({ organizationId, assetId }: VideoPlace, more = '') =>
  `${api.baseUrl}/embed/${organizationId}/${assetId}/${more}`

const newPage = async () => (await browser.newContext()).newPage()

async function told(page: Page): Promise<string | null> {
  await page.getByRole('alert').waitFor()
  return page.locator('.screen-title').textContent()
}

const faultIs = async (page: Page, code: string) =>
  (await watchUntil(page, ({ fault }) => fault === code)).fault

describe('a video that is not there', () => {
  it('is told of in words, with nothing in the way of anybody', async () => {
    const page = await newPage()
    const place = await newVideo()
    await page.goto(pageOf({ ...place, assetId: place.assetId.replace(/.{12}$/, '000000000000') }))
    expect(await told(page)).toBe('This video is not there')
    expect(await doesNotPlay(page)).toBe('missing')
    expect(await faultsOfAccess(page)).toEqual([])
  })
})

describe('a link that is refused', () => {
  const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const passUntil = (seconds: number) =>
    `${encoded({ alg: 'EdDSA' })}.${encoded({ exp: Math.floor(Date.now() / 1000) + seconds })}.c2ln`

  it.each([
    ['This link has expired', 'expired', -60],
    ['This video cannot be watched here', 'denied', 3600],
  ])('is told as what it is: %s', async (heading, code, seconds) => {
    const page = await newPage()
    const place = await newVideo()
    await page.route('**/about.json', (route) => route.fulfill({ status: 403, body: '{}' }))
    await page.goto(pageOf(place))
    const src = `/play/${passUntil(seconds)}/${place.organizationId}/${place.assetId}/`
    await page.evaluate(`document.querySelector('reelkeep-player').setAttribute('src', '${src}')`)
    expect(await faultIs(page, code)).toBe(code)
    expect(await told(page)).toBe(heading)
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0)
    expect(await faultsOfAccess(page)).toEqual([])
  })

  it('is told as a key if only that is refused, to the page as well', async () => {
    const page = await newPage()
    const place = await newWholeVideo()
    await page.route('**/*.m3u8', async (route) => {
      const answer = await route.fetch()
      const key = '#EXT-X-KEY:METHOD=AES-128,URI="keys/0.key",IV=0x00000000000000000000000000000000'
      const body = (await answer.text()).replace(/#EXTINF/, `${key}\n#EXTINF`)
      await route.fulfill({ response: answer, body })
    })
    await page.route('**/keys/*', (route) => route.fulfill({ status: 403, body: '' }))
    await page.goto(pageOf(place))
    await page.evaluate(`
      document.querySelector('reelkeep-player').addEventListener('error', ({ detail }) => {
        globalThis.heard = detail.code
      })
    `)
    expect(await doesNotPlay(page)).toBe('key')
    expect(await page.evaluate('globalThis.heard')).toBe('key')
  })
})

it('a line that is gone is told of, and another try goes on where it was', async () => {
  const page = await newPage()
  await page.goto(pageOf(await newWholeVideo(), '?muted=1'))
  // All but the first pieces are out of reach, as if it had gone a moment later.
  await page.route(/000\d[3-9]\.m4s$/, (route) => route.abort('internetdisconnected'))
  await page.locator('.frame[data-state=ready]').waitFor()
  await page.evaluate('void document.querySelector("reelkeep-player").play()')
  expect(await faultIs(page, 'offline')).toBe('offline')
  expect(await told(page)).toBe('The connection is gone')
  expect(await faultsOfAccess(page)).toEqual([])
  await page.unroute(/000\d[3-9]\.m4s$/)
  await page.getByRole('button', { name: 'Try again' }).click()
  expect(await reallyPlays(page)).toMatchObject({ plays: true, fault: null })
})

it('a browser that cannot play it is told which can', async () => {
  const page = await newPage()
  await page.addInitScript(`
    for (const name of ['MediaSource', 'ManagedMediaSource', 'WebKitMediaSource']) delete globalThis[name]
    HTMLMediaElement.prototype.canPlayType = () => ''
  `)
  await page.goto(pageOf(await newWholeVideo()))
  expect(await told(page)).toBe('This browser cannot play the video')
})

describe('a video that is still made', () => {
  it('is awaited, plays by itself from its beginning, and goes on to its end', async () => {
    const page = await newPage()
    const place = await newVideo()
    await page.goto(pageOf(place, '?autoplay=1&muted=1&resume=off'))
    expect(await told(page)).toBe('This video is being prepared')
    expect(await faultsOfAccess(page)).toEqual([])

    await publisher.plan(place, made.plan)
    await publish(place, ['240p', 'audio'], 0, 4)
    const first = await watchUntil(page, ({ seconds, frames }) => frames > 0 && seconds > 1)
    expect(first).toMatchObject({ fault: null })
    expect(first.seconds).toBeLessThan(6)
    // Slowly, so that it has not ended when there is something better to be shown.
    await page.evaluate('document.querySelector("reelkeep-player").playbackRate = 0.5')

    await publish(place, ['240p', 'audio'], 4, SEGMENTS)
    await publish(place, ['480p'], 0, SEGMENTS)
    await publisher.setStatus(place, 'Completed')
    await page.getByText('A better picture is ready').waitFor()
    await page.getByRole('button', { name: 'Show it' }).click()
    await page.locator('.frame[data-state=ready]').waitFor()
    await page.evaluate('document.querySelector("reelkeep-player").playbackRate = 2')
    const last = await watchUntil(page, ({ hasEnded }) => hasEnded)
    expect(last).toMatchObject({ hasEnded: true, fault: null })
    expect(last.seconds).toBeCloseTo(SECONDS, 0)
    expect(await inPlayer(page, 'video.videoHeight')).toBe(480)
  })

  it('that was given up before there was anything is told as lost', async () => {
    const page = await newPage()
    const place = await newVideo()
    await publisher.plan(place, made.plan)
    await publisher.setStatus(place, 'Cancelled')
    await page.goto(pageOf(place))
    expect(await told(page)).toBe('This video could not be prepared')
  })
})

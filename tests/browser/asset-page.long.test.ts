/** `examples/asset.html` after an upload, with a real worker. */
import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { assets } from '@reelkeep/contract'
import { assetPageScreenshot, openSession } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { accessibilityViolations } from './accessibility.ts'
import { makeFilm, openAssetPageFixture } from './asset-page-fixture.ts'

/** Length of the video: its processing must not finish while the test checks the page. */
const FILM_SECONDS = 48
const PROCESSING_MILLISECONDS_MAX = 150_000

const fixture = await opened(openAssetPageFixture())
const film = await makeFilm(fixture.folder, 'Northern lights.mp4', FILM_SECONDS)

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true })
const within = { timeout: PROCESSING_MILLISECONDS_MAX, interval: 100 }

/** Uploads a file with the upload page and opens the asset page. Returns the asset ID. */
async function upload(page: Page, file: string): Promise<string> {
  await page.getByLabel('Video file').setInputFiles(file)
  await page.getByLabel('240p').check()
  await page.getByLabel('Protection').selectOption('disable')
  await press(page, 'Upload')
  await page.getByRole('link', { name: 'View video' }).click()
  await page.waitForURL(/asset\.html#/)
  return new URL(page.url()).hash.slice(1)
}

const readVideo = async (id: string) => (await fixture.caller.get<assets.Asset>(`assets/${id}/`)).body.video

/** Records all values of the rendition progress bars in the page. */
const recordBars = (page: Page) =>
  page.evaluate(`{
    globalThis.barValues = {}
    setInterval(() => {
      for (const bar of document.querySelectorAll('.rendition progress:not([hidden])')) {
        const values = (barValues[bar.getAttribute('aria-label')] ??= [])
        if (!values.includes(bar.value)) values.push(bar.value)
      }
    }, 100)
  }`)

const barValues = async (page: Page) => (await page.evaluate('barValues')) as Record<string, readonly number[]>

type Shown = { readonly seconds: number; readonly height: number; readonly pixels: string }

/** Position, height and a downscaled frame of the video. */
const playerState = async (page: Page) =>
  (await page.evaluate(`{
    const video = document.getElementById('video')
    const canvas = Object.assign(document.createElement('canvas'), { width: 16, height: 9 })
    const context = canvas.getContext('2d')
    context.drawImage(video, 0, 0, 16, 9)
    const pixels = context.getImageData(0, 0, 16, 9).data.join()
    ;({ seconds: video.currentTime, height: video.videoHeight, pixels })
  }`)) as Shown

/** Takes the screenshot for the guides if it is enabled. */
async function takeScreenshot(page: Page): Promise<void> {
  if (!assetPageScreenshot) return
  const bar = page.getByRole('progressbar', { name: 'Progress of 360p' })
  await expect.poll(async () => Number(await bar.getAttribute('value')), within).toBeGreaterThan(18)
  // Disables animations, so that the progress bars match the percentages.
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await page.evaluate('scrollTo(0, 0)')
  await page.screenshot({ path: assetPageScreenshot, fullPage: true })
}

describe('a video that is being processed', () => {
  it('shows progress, plays before it is complete, and offers higher qualities when they are encoded', async () => {
    const page = await fixture.newPage({ viewport: { width: 1100, height: 900 } })
    const id = await upload(page, film)
    await recordBars(page)

    await heading(page, 'Processing, ready to play').waitFor({ timeout: within.timeout })
    await page.locator('#video').click()
    await expect.poll(async () => (await playerState(page)).seconds, within).toBeGreaterThan(0.5)
    const before = await playerState(page)
    await expect.poll(async () => (await playerState(page)).seconds, within).toBeGreaterThan(2)
    const after = await playerState(page)
    expect(after.pixels).not.toBe(before.pixels)
    expect((await readVideo(id)).status).toBe('Processing')
    await page.getByText(/^The first 0:\d\d of 0:48 can be played/).waitFor()
    expect(await accessibilityViolations(page)).toEqual([])
    await takeScreenshot(page)

    await heading(page, 'Ready').waitFor({ timeout: within.timeout })
    const recorded = await barValues(page)
    expect(Object.keys(recorded)).toEqual(['Progress of 240p', 'Progress of 360p'])
    for (const [name, values] of Object.entries(recorded)) {
      const between = values.filter((value) => value > 0 && value < 100)
      expect(between.length, `${name}: ${values}`).toBeGreaterThanOrEqual(2)
      expect(values, name).toEqual(values.toSorted((one, other) => one - other))
    }
    expect((await readVideo(id)).status).toBe('Completed')
    await page.getByRole('list', { name: 'Renditions' }).getByText('Skipped').waitFor()
    await page.getByRole('img', { name: 'Cover' }).waitFor()

    await press(page, 'Switch')
    await expect.poll(async () => (await playerState(page)).height, within).toBe(360)
    expect((await playerState(page)).seconds).toBeGreaterThanOrEqual(after.seconds)
    const { seconds } = await playerState(page)
    await expect.poll(async () => (await playerState(page)).seconds, within).toBeGreaterThan(seconds)
    expect(await page.getByRole('button', { name: 'Switch' }).isVisible()).toBe(false)
  }, 200_000)

  it('can be cancelled and resumed', async () => {
    const page = await fixture.newPage()
    await upload(page, film)
    await press(page, 'Cancel')
    await heading(page, 'Cancelled').waitFor()
    await page.getByText('Try again to resume processing').waitFor()
    expect(await accessibilityViolations(page)).toEqual([])
    await press(page, 'Try again')
    await heading(page, 'Cancelled').waitFor({ state: 'detached' })
    await press(page, 'Cancel')
    await heading(page, 'Cancelled').waitFor()
  })
})

it('the asset page shows the error for a file that is not a video and links to the upload page', async () => {
  const file = join(fixture.folder, 'Notes.mp4')
  await writeFile(file, randomBytes(100_000))
  const page = await fixture.newPage({ viewport: { width: 360, height: 740 }, colorScheme: 'dark' })
  const id = await upload(page, file)
  await heading(page, 'Processing failed').waitFor()
  const { error } = await readVideo(id)
  await page
    .locator('#advice')
    .getByText(error?.detail ?? 'no error')
    .waitFor()
  expect(await page.getByRole('button', { name: 'Try again' }).isVisible()).toBe(false)
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360)
  expect(await accessibilityViolations(page)).toEqual([])
  await page.getByRole('link', { name: 'Upload another file' }).click()
  await page.waitForURL(/upload\.html/)
})

describe('a tab without a token', () => {
  it('prompts for a token and does not put it into the URL', async () => {
    const { asset } = await openSession(fixture.caller)
    const page = await fixture.newPage()
    await page.goto(`${fixture.origin}/asset.html#${asset.id}`)
    expect(await page.getByLabel('Asset ID').inputValue()).toBe(asset.id)
    expect(await accessibilityViolations(page)).toEqual([])
    await press(page, 'Open')
    await page.getByRole('link', { name: 'Enter an API token.' }).click()
    await page.getByLabel('API URL').fill(fixture.apiUrl)
    await page.getByLabel('Organization', { exact: true }).fill(fixture.caller.organizationId)
    await page.getByLabel('Token').fill('rlk_nonsense')
    await press(page, 'Open')
    await page.getByRole('alert').getByText('Check the API token').waitFor()
    await page.getByLabel('Token').fill(fixture.caller.token)
    await press(page, 'Open')
    await heading(page, 'Waiting for upload').waitFor()
    expect(page.url()).not.toContain(fixture.caller.token)
  })
})

/** `examples/asset.html` as a person uses it who has just uploaded a video, with a worker that really makes it. */
import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { assets } from '@reelkeep/contract'
import { assetPagePicture, openSession } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { faultsOfAccess } from './access-faults.ts'
import { makeFilm, openAssetStage } from './asset-stage.ts'

/** Long enough that nobody makes it in the seconds in which a test looks. */
const FILM_SECONDS = 48
const MAKING_MILLISECONDS_MAX = 150_000

const stage = await opened(openAssetStage())
const film = await makeFilm(stage.folder, 'Northern lights.mp4', FILM_SECONDS)

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true })
const within = { timeout: MAKING_MILLISECONDS_MAX, interval: 100 }

/** Uploads by the page for it, and goes where its link leads. Answers the asset's id. */
async function upload(page: Page, file: string): Promise<string> {
  await page.getByLabel('Video file').setInputFiles(file)
  await page.getByLabel('240p').check()
  await page.getByLabel('Protection').selectOption('disable')
  await press(page, 'Upload')
  await page.getByRole('link', { name: 'See it being made' }).click()
  await page.waitForURL(/asset\.html#/)
  return new URL(page.url()).hash.slice(1)
}

const readVideo = async (id: string) =>
  (await stage.caller.get<assets.Asset>(`assets/${id}/`)).body.video

/** From now on the page notes every value that a rendition's bar has. */
const noteBars = (page: Page) =>
  page.evaluate(`{
    globalThis.barValues = {}
    setInterval(() => {
      for (const bar of document.querySelectorAll('.rendition progress:not([hidden])')) {
        const values = (barValues[bar.getAttribute('aria-label')] ??= [])
        if (!values.includes(bar.value)) values.push(bar.value)
      }
    }, 100)
  }`)

const barValues = async (page: Page) =>
  (await page.evaluate('barValues')) as Record<string, readonly number[]>

type Shown = { readonly seconds: number; readonly height: number; readonly pixels: string }

/** What is on the screen: where the video is, and its picture in a few bytes. */
const shown = async (page: Page) =>
  (await page.evaluate(`{
    const video = document.getElementById('video')
    const canvas = Object.assign(document.createElement('canvas'), { width: 16, height: 9 })
    const context = canvas.getContext('2d')
    context.drawImage(video, 0, 0, 16, 9)
    const pixels = context.getImageData(0, 0, 16, 9).data.join()
    ;({ seconds: video.currentTime, height: video.videoHeight, pixels })
  }`)) as Shown

/** For the guides, when it is asked for. */
async function takePicture(page: Page): Promise<void> {
  if (!assetPagePicture) return
  const bar = page.getByRole('progressbar', { name: 'Progress of 360p' })
  await expect.poll(async () => Number(await bar.getAttribute('value')), within).toBeGreaterThan(18)
  // A bar that still glides would be pictured short of the figure beside it.
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await page.evaluate('scrollTo(0, 0)')
  await page.screenshot({ path: assetPagePicture, fullPage: true })
}

describe('a video that is being made', () => {
  it('is seen growing, plays before it is complete, and gets better when it is', async () => {
    const page = await stage.newPage({ viewport: { width: 1100, height: 900 } })
    const id = await upload(page, film)
    await noteBars(page)

    await heading(page, 'Being made, and ready to watch').waitFor({ timeout: within.timeout })
    await page.locator('#video').click()
    await expect.poll(async () => (await shown(page)).seconds, within).toBeGreaterThan(0.5)
    const before = await shown(page)
    await expect.poll(async () => (await shown(page)).seconds, within).toBeGreaterThan(2)
    const after = await shown(page)
    expect(after.pixels).not.toBe(before.pixels)
    expect((await readVideo(id)).status).toBe('Processing')
    await page.getByText(/^The first 0:\d\d of 0:48 can be watched already/).waitFor()
    expect(await faultsOfAccess(page)).toEqual([])
    await takePicture(page)

    await heading(page, 'Ready').waitFor({ timeout: within.timeout })
    const noted = await barValues(page)
    expect(Object.keys(noted)).toEqual(['Progress of 240p', 'Progress of 360p'])
    for (const [name, values] of Object.entries(noted)) {
      const between = values.filter((value) => value > 0 && value < 100)
      expect(between.length, `${name}: ${values}`).toBeGreaterThanOrEqual(2)
      expect(values, name).toEqual(values.toSorted((one, other) => one - other))
    }
    expect((await readVideo(id)).status).toBe('Completed')
    const larger = page.getByRole('list', { name: 'Qualities' }).getByText('Larger than the source')
    await larger.waitFor()
    await page.getByRole('img', { name: 'The cover' }).waitFor()

    await press(page, 'Switch')
    await expect.poll(async () => (await shown(page)).height, within).toBe(360)
    expect((await shown(page)).seconds).toBeGreaterThanOrEqual(after.seconds)
    const { seconds } = await shown(page)
    await expect.poll(async () => (await shown(page)).seconds, within).toBeGreaterThan(seconds)
    expect(await page.getByRole('button', { name: 'Switch' }).isVisible()).toBe(false)
  }, 200_000)

  it('is cancelled, and goes on when it is tried again', async () => {
    const page = await stage.newPage()
    await upload(page, film)
    await press(page, 'Cancel')
    await heading(page, 'Cancelled').waitFor()
    await page.getByText('trying again goes on with it').waitFor()
    expect(await faultsOfAccess(page)).toEqual([])
    await press(page, 'Try again')
    await heading(page, 'Cancelled').waitFor({ state: 'detached' })
    await press(page, 'Cancel')
    await heading(page, 'Cancelled').waitFor()
  })
})

it('a file that is no video is told as such, with the way to another', async () => {
  const file = join(stage.folder, 'Notes.mp4')
  await writeFile(file, randomBytes(100_000))
  const page = await stage.newPage({ viewport: { width: 360, height: 740 }, colorScheme: 'dark' })
  const id = await upload(page, file)
  await heading(page, 'This did not work out').waitFor()
  const { error } = await readVideo(id)
  await page
    .locator('#advice')
    .getByText(error?.detail ?? 'no error')
    .waitFor()
  expect(await page.getByRole('button', { name: 'Try again' }).isVisible()).toBe(false)
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360)
  expect(await faultsOfAccess(page)).toEqual([])
  await page.getByRole('link', { name: 'Upload another file' }).click()
  await page.waitForURL(/upload\.html/)
})

describe('a tab that has no token', () => {
  it('asks for one, and keeps it out of the address', async () => {
    const { asset } = await openSession(stage.caller)
    const page = await stage.newPage()
    await page.goto(`${stage.origin}/asset.html#${asset.id}`)
    expect(await page.getByLabel('Asset id').inputValue()).toBe(asset.id)
    expect(await faultsOfAccess(page)).toEqual([])
    await press(page, 'Show it')
    await page.getByRole('link', { name: 'Enter a token.' }).click()
    await page.getByLabel('Address of the service').fill(stage.apiUrl)
    await page.getByLabel('Organization', { exact: true }).fill(stage.caller.organizationId)
    await page.getByLabel('Token').fill('rk_nonsense')
    await press(page, 'Show it')
    await page.getByRole('alert').getByText('Check the token').waitFor()
    await page.getByLabel('Token').fill(stage.caller.token)
    await press(page, 'Show it')
    await heading(page, 'Waiting for its file').waitFor()
    expect(page.url()).not.toContain(stage.caller.token)
  })
})

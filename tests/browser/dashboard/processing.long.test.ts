/** The page of a video, the library and the trash while a real worker processes videos. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Superuser, WorkerProcess } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { accessibilityViolations } from '../accessibility.ts'
import { press, pressButton } from './keyboard.ts'
import { addLibrary, openLibraryFixture } from './library-data.ts'
import { memberCookies } from './page-states.ts'

const run = promisify(execFile)
const FILM = 'Aurora over Tromsø'
/** Processing competes with other tests for the processors. */
const PROCESSED_MILLISECONDS_MAX = 180_000
const TEST_MILLISECONDS_MAX = 3 * PROCESSED_MILLISECONDS_MAX

const fixture = await opened(openLibraryFixture('dashboard_processing'))
const { client, origin, organizationId, token, folder } = fixture
const ids = await addLibrary(fixture, 1)
const film = ids.get(FILM) ?? ''
const filmPath = join(folder, 'film-0.mp4')
const storageState = await memberCookies(fixture)

const urlOf = (path: string) => `${origin}/o/${organizationId}/${path}`

async function openPage(path: string, heading: string | RegExp) {
  const options = { storageState, permissions: ['clipboard-read', 'clipboard-write'] }
  const { page, problems } = await fixture.newPage(options)
  await page.goto(urlOf(path))
  await page.getByRole('heading', { level: 1, name: heading }).waitFor()
  return { page, problems }
}

const openVideo = (id = film, title = FILM) => openPage(`videos/${id}`, title)
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const toast = (page: Page, text: string) => page.getByRole('region', { name: 'Messages' }).getByText(text).waitFor()
const clipboard = (page: Page) => page.evaluate<string>('navigator.clipboard.readText()')
const processed = { timeout: PROCESSED_MILLISECONDS_MAX }

describe('the page of a video', () => {
  it('plays a new version automatically, and rolls back to the old one', async () => {
    const { page } = await openVideo()
    await page.getByRole('tab', { name: 'Files' }).press('Enter')
    await page.getByLabel('File of the new version').setInputFiles(filmPath)
    const versions = page.getByRole('list', { name: 'Versions' }).getByRole('listitem')
    await versions.filter({ hasText: 'Version 2' }).getByText('Active').waitFor(processed)
    expect((await client.assets.read(film)).version).toBe(2)
    await button(page, 'Roll back to version 1').press('Enter')
    await toast(page, 'Version 1 is now active.')
    await versions.filter({ hasText: 'Version 1' }).getByText('Active').waitFor()
    expect((await client.assets.read(film)).version).toBe(1)
    await button(page, 'Activate version 2').press('Enter')
    await versions.filter({ hasText: 'Version 2' }).getByText('Active').waitFor()
    await page.context().close()
  })

  it('gets a part of an uploaded image as cover, which is cropped with the keyboard', async () => {
    const image = join(folder, 'cover.png')
    // Twice as wide as the video: red on the left, blue on the right.
    const halves = 'color=red:size=1280x360,drawbox=x=640:w=640:h=360:color=blue:t=fill'
    await run('ffmpeg', ['-v', 'error', '-f', 'lavfi', '-i', halves, '-frames:v', '1', image])
    const { page, problems } = await openVideo()
    const before = await page.getByRole('img', { name: 'Current cover' }).getAttribute('src')
    await page.getByLabel('Image for the cover').setInputFiles(image)
    const dialog = page.getByRole('dialog', { name: 'Crop the cover' })
    const part = dialog.getByRole('application', { name: 'Part of the image' })
    await part.focus()
    expect(await accessibilityViolations(page)).toEqual([])
    for (let presses = 0; presses < 6; presses++) await page.keyboard.press('Shift+ArrowLeft')
    await page.keyboard.press('+')
    expect(await dialog.getByRole('slider', { name: 'Zoom' }).inputValue()).toBe('1.1')
    await dialog.getByRole('button', { name: 'Use as cover' }).press('Enter')
    await toast(page, 'The cover is being changed.')
    await button(page, 'Reset').waitFor(processed)
    await expect.poll(async () => (await client.covers.read(film)).status, processed).not.toBe('processing')
    const name = (url: string | null) => url?.split('/').at(-1)
    await expect
      .poll(async () => name(await page.getByRole('img', { name: 'Current cover' }).getAttribute('src')))
      .not.toBe(name(before))
    const { url } = await client.covers.read(film)
    const gray = ['-vf', 'scale=1:1', '-pix_fmt', 'rgb24', '-f', 'rawvideo', '-']
    const { stdout } = await run('ffmpeg', ['-v', 'error', '-i', String(url), ...gray], { encoding: 'buffer' })
    const [red = 255, , blue = 0] = stdout
    expect([red < 40, blue > 200]).toEqual([true, true])
    expect(problems).toEqual([])
    await page.context().close()
  })

  it('shares a link that works once', async () => {
    const { page } = await openVideo()
    await press(page, 's')
    const dialog = page.getByRole('dialog', { name: 'Share video' })
    await dialog.getByLabel('Single use').press('Space')
    await button(page, 'Create link').press('Enter')
    const link = await dialog.getByLabel('Link', { exact: true }).inputValue()
    const { page: viewer } = await fixture.newPage()
    await viewer.goto(link)
    await viewer.locator('reelkeep-player').getByRole('button', { name: 'Play' }).first().press('Enter')
    await expect.poll(() => viewer.evaluate("document.querySelector('reelkeep-player').currentTime")).toBeGreaterThan(1)
    const { page: other } = await fixture.newPage()
    await other.goto(link)
    const state = "document.querySelector('reelkeep-player').shadowRoot.querySelector('[data-state]').dataset.state"
    await expect.poll(() => other.evaluate<string>(state)).toBe('fault')
    for (const each of [viewer, other, page]) await each.context().close()
  })

  it(
    'cancels the processing of a video, and processes it again',
    async () => {
      const path = join(folder, 'long.mp4')
      const source = 'testsrc2=size=640x360:rate=25:duration=240'
      await run('ffmpeg', ['-v', 'error', '-f', 'lavfi', '-i', source, '-c:v', 'libx264', '-preset', 'ultrafast', path])
      const { id } = await client.uploads.send(path, { title: 'Cancelled', resolutions: ['360p'] })
      const { page } = await openVideo(id, 'Cancelled')
      await page.getByRole('progressbar', { name: 'Processing' }).waitFor()
      await page
        .getByText(/^Processing \d+\s?%$/)
        .first()
        .waitFor(processed)
      await pressButton(page, 'Cancel processing')
      const dialog = page.getByRole('alertdialog', { name: 'Cancel the processing?' })
      await dialog.getByRole('button', { name: 'Continue processing' }).press('Enter')
      await dialog.waitFor({ state: 'hidden' })
      expect((await client.assets.read(id)).video.status).toBe('Processing')
      await pressButton(page, 'Cancel processing')
      await dialog.getByRole('button', { name: 'Cancel processing' }).press('Enter')
      await page.getByText('Processing was cancelled').first().waitFor()
      expect((await client.assets.read(id)).video.status).toBe('Cancelled')
      await button(page, 'Process again').press('Enter')
      await page
        .getByText(/^(In the queue|Processing)/)
        .first()
        .waitFor()
      await page.getByText('Ready', { exact: true }).waitFor(processed)
      await page.context().close()
    },
    TEST_MILLISECONDS_MAX,
  )

  it('shows API calls that work as they are copied', async () => {
    const { page } = await openVideo()
    await page.getByText('Do this with the API').click()
    await button(page, 'Copy: Read the video').click()
    const { stdout } = await run('bash', ['-c', await clipboard(page)], { env: { REELKEEP_TOKEN: token } })
    expect(JSON.parse(stdout)).toMatchObject({ id: film, title: FILM })
    await page.context().close()
  })
})

describe('the library', () => {
  it('previews a video below the pointer from its storyboard', async () => {
    const { page, problems } = await openPage(`library?q=${encodeURIComponent('Aurora')}`, 'All videos')
    const card = page.getByRole('option', { name: FILM })
    await card.locator('img').waitFor()
    const box = await card.locator('img').boundingBox()
    if (!box) throw new Error('The card has no size.')
    const frame = card.locator('svg image')
    const move = (part: number) => page.mouse.move(box.x + part * box.width, box.y + box.height / 2)
    await expect
      .poll(async () => {
        await move(0.1 + Math.random() / 100)
        return frame.count()
      })
      .toBe(1)
    const first = await frame.evaluate((image) => image.outerHTML)
    await move(0.9)
    await expect.poll(() => frame.evaluate((image) => image.outerHTML)).not.toBe(first)
    expect(problems).toEqual([])
    await page.context().close()
  })
})

describe('the trash', () => {
  it('is emptied: videos, and folders with their contents, are deleted forever', async () => {
    const { uuid } = await client.folders.create({ title: 'Old folder' })
    const titles = ['Old video', 'Kept video', 'In the folder']
    const [old = '', kept = '', inside = ''] = await Promise.all(
      titles.map(async (title, index) => {
        const place = index === 2 ? uuid : null
        return (await client.uploadSessions.create({ title, resolutions: ['240p'], folder: place })).asset.id
      }),
    )
    await client.assets.delete(old)
    await client.folders.delete(uuid, { recursive: true })
    const { page } = await openPage('trash', 'Trash')
    await page.getByText('Old video').waitFor()
    await pressButton(page, 'Empty trash')
    await pressButton(page, 'Delete everything forever')
    await toast(page, 'The trash is empty.')
    await page.getByRole('heading', { name: 'The trash is empty' }).waitFor()
    for (const id of [old, inside]) {
      await expect(client.assets.read(id)).rejects.toMatchObject({ code: 'asset_not_found' })
    }
    expect((await client.assets.read(kept)).title).toBe('Kept video')
    await page.context().close()
  })
})

it('the activity of a video is in German for a German browser', async () => {
  const { page } = await fixture.newPage({ storageState, locale: 'de-DE' })
  await page.goto(urlOf(`videos/${film}`))
  await page.getByRole('tab', { name: 'Verlauf' }).click()
  const entries = page.getByRole('list', { name: 'Verlauf' }).getByRole('listitem')
  for (const text of ['Datei hochgeladen', 'Verarbeitung abgeschlossen'])
    await entries.getByText(text).first().waitFor()
  const english = /^(Created|File|Processing|Can be|Qualities|Thumbnails|Each quality|Cover|Continued|Active)/
  expect((await entries.allTextContents()).filter((text) => english.test(text))).toEqual([])
  await page.context().close()
})

it('the page of a video that no worker starts says so, until a worker processes it', async () => {
  await fixture.worker.stop()
  const { id } = await client.uploads.send(filmPath, { title: 'No worker', resolutions: ['240p'] })
  await using superuser = await Superuser.open(fixture.env)
  const earlier =
    "update asset_happenings set at = at - interval '5 minutes' where organization_id = $1 and asset_id = $2"
  await superuser.query(earlier, [organizationId, id])
  const { page } = await openVideo(id, 'No worker')
  await page
    .getByText(/^No worker has started to process the video for \d minutes\. All workers are busy or unavailable\./)
    .waitFor()
  // Nothing is lost yet, so the page does not ask.
  await pressButton(page, 'Cancel processing')
  await page.getByRole('heading', { name: 'Processing was cancelled' }).waitFor()
  await pressButton(page, 'Process again')
  await page.getByRole('heading', { name: 'In the queue' }).waitFor()
  await using _worker = await WorkerProcess.start({ settings: fixture.settings, env: fixture.env })
  await page.getByText('Ready', { exact: true }).waitFor(processed)
  await page.context().close()
})

/** The work of a content manager, with a mouse and without documentation: only visible labels are used. */
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { opened } from '@reelkeep/testkit/vitest'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { openLibraryFixture } from './library-data.ts'
import { memberCookies } from './page-states.ts'
import { dropFiles } from './uploads-fixture.ts'

/** Ten videos are uploaded and processed. */
const UPLOADED_MILLISECONDS_MAX = 600_000
const FILM_SECONDS = 12
const WORDS = 'quartz watches are accurate'
const WORDS_SECONDS = 6.2

const concerts = ['Opening night', 'Second evening', 'Rehearsal', 'Sound check', 'Encore']
const interviews = ['The conductor', 'The watchmaker', 'The stage manager', 'Two violinists', 'An usher']

const fixture = await opened(openLibraryFixture('dashboard_content_manager'))
const { client } = fixture
const storageState = await memberCookies(fixture)

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const video = (page: Page, title: string) => page.getByRole('option', { name: title })
const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true }).waitFor()
const message = (page: Page, text: string) => page.getByRole('region', { name: 'Messages' }).getByText(text).waitFor()

/** Generates short films, each of another color so that none is a duplicate. */
const makeFilms = (titles: readonly string[], hue: number) =>
  Promise.all(
    titles.map(async (title, index) => {
      const path = join(fixture.folder, `${title}.mp4`)
      const color = `color=c=0x${(0x102030 + hue + index * 0x0a1408).toString(16)}:size=320x180:rate=25`
      const inputs = ['-f', 'lavfi', '-i', `${color}:duration=${FILM_SECONDS}`, '-f', 'lavfi', '-i']
      const sound = `sine=frequency=${300 + 40 * index}:duration=${FILM_SECONDS}`
      const codecs = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-c:a', 'aac']
      await promisify(execFile)('ffmpeg', ['-v', 'error', '-y', ...inputs, sound, ...codecs, path])
      return path
    }),
  )

async function newFolder(page: Page, name: string): Promise<void> {
  await button(page, 'New folder').first().click()
  await page.getByRole('dialog').getByLabel('Name').fill(name)
  await page.getByRole('dialog').getByRole('button', { name: 'Create folder' }).click()
  await heading(page, name)
}

async function upload(page: Page): Promise<void> {
  await newFolder(page, 'Concerts')
  await button(page, 'Upload').first().click()
  const choosing = page.waitForEvent('filechooser')
  await button(page, 'Choose files').click()
  await (await choosing).setFiles(await makeFilms(concerts, 0))
  await button(page, 'Upload 5 files').click()
  await page.getByRole('link', { name: 'Library' }).click()
  await heading(page, 'All videos')
  await newFolder(page, 'Interviews')
  await dropFiles(page, ...(await makeFilms(interviews, 0x400020)))
  for (const title of interviews) await video(page, title).waitFor()
}

async function rename(page: Page): Promise<void> {
  await video(page, 'The watchmaker').click()
  await heading(page, 'The watchmaker')
  await button(page, 'Edit title').click()
  await page.getByLabel('Title', { exact: true }).fill('A watchmaker explains')
  await button(page, 'Save').click()
  await heading(page, 'A watchmaker explains')
}

/** One by dragging it to the folder, one in the dialog. */
async function move(page: Page): Promise<void> {
  await page.getByRole('row', { name: 'Concerts', exact: true }).click()
  await heading(page, 'Concerts')
  await video(page, 'Sound check').dragTo(page.getByRole('row', { name: 'Interviews', exact: true }))
  await message(page, '1 video moved to Interviews.')
  await video(page, 'Encore').click()
  await heading(page, 'Encore')
  await button(page, 'Move to…').click()
  await page.getByRole('option', { name: 'Interviews' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Move', exact: true }).click()
  await page.getByRole('complementary', { name: 'Details' }).getByRole('link', { name: 'Interviews' }).waitFor()
}

async function addChapterAndCaptions(page: Page): Promise<void> {
  await page.getByRole('row', { name: 'Interviews', exact: true }).click()
  await video(page, 'A watchmaker explains').click()
  await heading(page, 'A watchmaker explains')
  await button(page, 'Add chapter').click()
  await page.getByLabel('Start', { exact: true }).fill('0:04')
  await page.getByLabel('Title of the chapter').fill('How a movement works')
  await button(page, 'Add').click()
  await button(page, 'Play from 0:04: How a movement works').waitFor()
  const captions = join(fixture.folder, 'captions.srt')
  writeFileSync(captions, `1\n00:00:06,200 --> 00:00:09,000\nSo ${WORDS}.\n`)
  await page.getByRole('tab', { name: 'Captions' }).click()
  await button(page, 'Add captions').click()
  const dialog = page.getByRole('dialog', { name: 'Add captions' })
  await dialog.getByLabel('File (WebVTT or SRT)').setInputFiles(captions)
  await dialog.getByRole('button', { name: 'Add captions' }).click()
  await page.getByRole('list', { name: 'Captions' }).getByText('English').first().waitFor()
}

/** Returns the link for one person. */
async function share(page: Page): Promise<string> {
  await button(page, 'Share').click()
  await page.getByLabel('Viewer (optional)').fill('Daily News')
  await page.getByLabel('Expires').selectOption('In 1 day')
  await button(page, 'Create link').click()
  await button(page, 'Copy link').click()
  await page.getByRole('list', { name: 'Existing links' }).getByText('Daily News').waitFor()
  const link = await page.evaluate<string>('navigator.clipboard.readText()')
  await button(page, 'Close').click()
  return link
}

async function findByWords(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Search' }).click()
  await page.keyboard.type('quartz watches')
  await page.getByRole('link', { name: /^0:06 ?Caption/ }).click()
  await heading(page, 'A watchmaker explains')
  const position = () => page.evaluate<number>("document.querySelector('reelkeep-player')?.currentTime ?? -1")
  await expect.poll(position).toBeCloseTo(WORDS_SECONDS, 1)
}

const titlesIn = async (folder: string) => {
  const { results } = await client.folders.list({ q: folder })
  const [found] = results
  const { results: videos } = await client.assets.list({ folder: found?.uuid ?? '' })
  return videos.map(({ title }) => title).toSorted()
}

it(
  'ten videos are uploaded into two folders, renamed, moved, given a chapter, shared and found by words said in them',
  async () => {
    const permissions = ['clipboard-read', 'clipboard-write']
    const viewport = { width: 1280, height: 800 }
    const { page, problems } = await fixture.newPage({ storageState, viewport, permissions })
    // Files are chosen with an input, because the picker of the browser is outside of the page.
    await page.addInitScript('delete window.showOpenFilePicker')
    await page.goto(fixture.origin)
    await heading(page, 'All videos')
    await upload(page)
    await rename(page)
    await move(page)
    await addChapterAndCaptions(page)
    const { results } = await client.assets.list({ q: 'watchmaker' })
    await client.assets.waitUntilCompleted(results[0]?.id ?? '')
    const link = await share(page)
    const { page: viewer } = await fixture.newPage({ viewport })
    await viewer.goto(link)
    await viewer.locator('reelkeep-player').getByRole('button', { name: 'Play' }).first().waitFor()
    // Without the token of the link, the video is private.
    await viewer.goto('about:blank')
    await viewer.goto(link.replace(/#.*/, ''))
    await viewer
      .locator('reelkeep-player')
      .getByText(/^(Video not found|You do not have access to this video)$/)
      .waitFor()
    await findByWords(page)
    expect(await titlesIn('Concerts')).toEqual(['Opening night', 'Rehearsal', 'Second evening'])
    expect(await titlesIn('Interviews')).toEqual(
      [...interviews, 'Sound check', 'Encore']
        .map((title) => (title === 'The watchmaker' ? 'A watchmaker explains' : title))
        .toSorted(),
    )
    expect(problems).toEqual([])
  },
  UPLOADED_MILLISECONDS_MAX,
)

/** The dashboard on a phone: 390 pixels wide, with a touch screen. No step uses a mouse or the keyboard. */
import { join } from 'node:path'
import { opened } from '@reelkeep/testkit/vitest'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { addLibrary, openLibraryFixture } from './library-data.ts'
import { memberCookies } from './page-states.ts'
import { rowOf } from './uploads-fixture.ts'

const FILM = 'Zürich by night'
const WIDTH = 390

const fixture = await opened(openLibraryFixture('dashboard_phone'))
const { client, folder } = fixture
// The second film is in a folder in a folder.
await addLibrary(fixture, 2)
const storageState = await memberCookies(fixture)

const tap = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).tap()
const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true }).waitFor()

/** Nothing is beside the screen, where only a scroll to the right would show it. */
const expectFit = async (page: Page) =>
  expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(WIDTH)

async function openLibrary() {
  const { page, problems } = await fixture.newPage({
    ...{ storageState, viewport: { width: WIDTH, height: 844 }, isMobile: true, hasTouch: true, deviceScaleFactor: 2 },
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  // Phones choose files with an input.
  await page.addInitScript('delete window.showOpenFilePicker')
  await page.goto(`${fixture.origin}/o/${fixture.organizationId}/library`)
  await heading(page, 'All videos')
  return { page, problems }
}

it('a video in a folder is found, watched and shared, and another one is uploaded beside it', async () => {
  const { page, problems } = await openLibrary()
  await expectFit(page)
  await tap(page, 'Open navigation')
  await page.getByRole('row', { name: 'Concerts', exact: true }).tap()
  await heading(page, 'Concerts')
  await page
    .getByRole('navigation', { name: 'Folders in this folder' })
    .getByRole('link', { name: 'Zürich 2026' })
    .tap()
  await heading(page, 'Zürich 2026')
  await expectFit(page)

  await page.getByRole('option', { name: FILM }).tap()
  await heading(page, FILM)
  // Until then, the page below the header can still move under the finger.
  await page.locator('reelkeep-player .frame[data-state=ready]').waitFor()
  await page.locator('reelkeep-player').getByRole('button', { name: 'Play' }).first().tap()
  const position = () => page.evaluate<number>("document.querySelector('reelkeep-player').currentTime")
  await expect.poll(position).toBeGreaterThan(1)
  await expectFit(page)

  await tap(page, 'Share')
  const dialog = page.getByRole('dialog', { name: 'Share video' })
  await dialog.getByRole('button', { name: 'Create link' }).tap()
  await dialog.getByRole('heading', { name: 'The link is ready' }).waitFor()
  await tap(page, 'Copy link')
  const link = () => page.evaluate<string>('navigator.clipboard.readText()')
  await expect.poll(link).toMatch(/^http/)
  await expectFit(page)
  const { page: viewer } = await fixture.newPage({ viewport: { width: WIDTH, height: 844 }, isMobile: true })
  await viewer.goto(await link())
  await viewer.locator('reelkeep-player').getByRole('button', { name: 'Play' }).first().waitFor()
  await tap(page, 'Close')

  await page.goBack()
  await heading(page, 'Zürich 2026')
  await tap(page, 'Upload')
  const choosing = page.waitForEvent('filechooser')
  await tap(page, 'Choose files')
  await (await choosing).setFiles(join(folder, 'film-0.mp4'))
  await expectFit(page)
  await tap(page, 'Upload 1 file')
  await rowOf(page, 'film-0.mp4')
    .getByText('Ready')
    .or(page.getByRole('option', { name: 'film-0' }))
    .first()
    .waitFor()
  await expectFit(page)
  const { results } = await client.assets.list({ q: 'film-0' })
  expect(results.map(({ parent_id }) => parent_id)).toEqual([new URL(page.url()).searchParams.get('folder')])
  await page.getByRole('option', { name: 'film-0' }).tap()
  await heading(page, 'film-0')
  await page.locator('reelkeep-player').getByRole('button', { name: 'Play' }).first().waitFor()
  expect(problems).toEqual([])
})

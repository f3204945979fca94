/** The first use of the dashboard, with a mouse and without documentation. */
import { opened } from '@reelkeep/testkit/vitest'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { addLibrary, openLibraryFixture } from './library-data.ts'
import { memberCookies } from './page-states.ts'

const fixture = await opened(openLibraryFixture('dashboard_first_use'))
const ids = await addLibrary(fixture, 1)
const storageState = await memberCookies(fixture)
const pages = `${fixture.origin}/o/${fixture.organizationId}`

const FILM = 'Aurora over Tromsø'

async function openPage(path: string): Promise<Page> {
  const { page } = await fixture.newPage({ storageState, viewport: { width: 1280, height: 800 } })
  await page.goto(`${pages}/${path}`)
  await page.getByRole('heading', { level: 1 }).waitFor()
  return page
}

const video = (page: Page, title: string) => page.getByRole('option', { name: title })

it('a click opens a video, and its box starts a selection to which further clicks add', async () => {
  const page = await openPage('library')
  await video(page, 'Corrupt capture').hover()
  await video(page, 'Corrupt capture').locator('[data-tick]').click()
  await page.getByText('1 selected').waitFor()
  await video(page, FILM).click()
  await page.getByText('2 selected').waitFor()
  await video(page, FILM).click()
  await page.getByText('1 selected').waitFor()
  await page.getByRole('button', { name: 'Clear selection' }).click()
  await video(page, FILM).click()
  await page.getByRole('heading', { level: 1, name: FILM }).waitFor()
})

it('the player shows a new title without a reload', async () => {
  const page = await openPage(`videos/${ids.get(FILM)}`)
  await page.locator('reelkeep-player').getByText(FILM).waitFor({ state: 'attached' })
  await page.getByRole('button', { name: 'Edit title' }).click()
  await page.keyboard.type('Northern lights')
  await page.keyboard.press('Enter')
  await page.locator('reelkeep-player').getByText('Northern lights').waitFor({ state: 'attached' })
})

it('a failed video offers neither a link nor a frame as its cover', async () => {
  const page = await openPage(`videos/${ids.get('Corrupt capture')}`)
  await page.getByRole('heading', { name: 'Processing failed' }).waitFor()
  await page.getByRole('button', { name: 'Upload image' }).waitFor()
  expect(await page.getByRole('button', { name: /^(Share|Use current frame)$/ }).count()).toBe(0)
})

it('the page says that the server did not send it if a part of the dashboard cannot be loaded', async () => {
  const page = await openPage('library')
  await page.route(/command-palette.*\.js/, (route) => route.abort())
  await page.keyboard.press('Control+k')
  await page.getByText('The server did not send the page.').waitFor()
})

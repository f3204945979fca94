/** The dashboard while the service or a part of it is unavailable, and afterwards. */
import { stackEnv, TcpProxy, withDatabase } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { joinWithPassword, openDashboardFixture } from './dashboard-fixture.ts'
import { memberCookies, PASSWORD } from './page-states.ts'

const DATABASE = 'dashboard_status'
const UNREACHABLE = /^The connection to the server is interrupted\./
const UNAVAILABLE = /^The database or the storage of the service is temporarily unavailable\./
/** The page polls the service every few seconds. */
const BACK_MILLISECONDS_MAX = 60_000

const databaseUrl = new URL(withDatabase(stackEnv(), DATABASE).DATABASE_URL)
const database = await opened(TcpProxy.open(`tcp://${databaseUrl.host}`))
databaseUrl.host = new URL(database.url).host

const fixture = await opened(openDashboardFixture(DATABASE, () => ({ DATABASE_URL: databaseUrl.href })))
const { caller, origin, organizationId } = fixture
const storageState = await memberCookies(fixture)

const newFolder = (title: string) => caller.post('assets/folders/', { title })
const folderRow = (page: Page, title: string) => page.getByRole('row', { name: title, exact: true })
const status = (page: Page, text: RegExp) => page.getByRole('status').getByText(text)

async function openLibrary() {
  const { page } = await fixture.newPage({ storageState })
  await page.goto(`${origin}/o/${organizationId}/library`)
  await folderRow(page, 'All videos').waitFor()
  return page
}

describe('the dashboard', () => {
  it('says that the server cannot be reached, and shows what has changed as soon as it is back', async () => {
    const page = await openLibrary()
    await fixture.stopApi()
    await status(page, UNREACHABLE).waitFor()
    await fixture.restartApi()
    await newFolder('After the restart')
    await folderRow(page, 'After the restart').waitFor({ timeout: BACK_MILLISECONDS_MAX })
    await status(page, UNREACHABLE).waitFor({ state: 'hidden', timeout: BACK_MILLISECONDS_MAX })
    await page.context().close()
  })

  it('says that the database is unavailable, and updates when it is back', async () => {
    const page = await openLibrary()
    database.disable()
    // Opening another page needs the database.
    await page.getByRole('link', { name: 'Trash' }).click()
    await status(page, UNAVAILABLE).waitFor({ timeout: BACK_MILLISECONDS_MAX })
    database.enable()
    await page.getByText('The trash is empty').waitFor({ timeout: BACK_MILLISECONDS_MAX })
    await status(page, UNAVAILABLE).waitFor({ state: 'hidden', timeout: BACK_MILLISECONDS_MAX })
    await page.context().close()
  })

  it('opens a page that could not be loaded from a stopped server as soon as it is back', async () => {
    const page = await openLibrary()
    await fixture.stopApi()
    await page.getByRole('link', { name: 'Settings' }).click()
    await page.getByRole('heading', { level: 1, name: 'This page could not be loaded' }).waitFor()
    await page.getByText('The page opens automatically as soon as the server responds.').waitFor()
    await fixture.restartApi()
    await page.getByRole('heading', { level: 1, name: 'Members' }).waitFor({ timeout: BACK_MILLISECONDS_MAX })
    await page.getByText('Amara Diallo').first().waitFor({ timeout: BACK_MILLISECONDS_MAX })
    await page.context().close()
  })
})

it('a member who was removed sees after a reload why the library is not available', async () => {
  const { page } = await fixture.newPage()
  await joinWithPassword(page, await fixture.invite('removed@example.org'), 'Removed', PASSWORD)
  const { body } = await caller.get<{ results: { id: string; name: string }[] }>('members/?q=Removed')
  await caller.delete(`members/${body.results[0]?.id}/`)
  await expect
    .poll(async () => {
      await page.reload()
      return page.getByRole('heading', { level: 1 }).first().textContent()
    })
    .toBe('You are not a member of this organization')
  await page.getByRole('link', { name: 'Go to the home page' }).click()
  await page.getByText('You are not a member of an organization').waitFor()
  await page.context().close()
})

/** The way back from a video to its place in a long list. */
import { opened } from '@reelkeep/testkit/vitest'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { openDashboardFixture } from './dashboard-fixture.ts'
import { press, reach } from './keyboard.ts'
import { memberCookies } from './page-states.ts'

const VIDEOS = 150

const fixture = await opened(openDashboardFixture('dashboard_long_list'))
const { caller, origin, organizationId } = fixture
const storageState = await memberCookies(fixture)

async function openLibrary(search = '') {
  const { page, problems } = await fixture.newPage({ storageState, viewport: { width: 1280, height: 900 } })
  await page.goto(`${origin}/o/${organizationId}/library${search}`)
  await row(page, 'All videos').waitFor()
  return { page, problems }
}

const row = (page: Page, title: string) => page.getByRole('row', { name: title, exact: true })

it('the list returns to the place where it was left when a video was opened', async () => {
  const { body: folder } = await caller.post<{ uuid: string }>('assets/folders/', { title: 'A long list' })
  for (let number = 1; number <= VIDEOS; number++) {
    const body = { title: `Clip ${number}`, resolutions: ['240p'], folder: folder.uuid }
    await caller.post('assets/upload-sessions/', body)
  }
  const { page, problems } = await openLibrary(`?folder=${folder.uuid}&order=title`)
  const list = page.getByRole('listbox', { name: 'Videos' })
  const top = () => list.evaluate((element) => element.scrollTop)
  await list
    .getByRole('option', { name: 'Clip 1', exact: true })
    .or(list.getByText('Clip 1', { exact: true }))
    .first()
    .waitFor()
  await reach(page, list)
  await press(page, 'PageDown', 'PageDown', 'PageDown')
  const active = await list.getAttribute('aria-activedescendant')
  await expect.poll(top).toBeGreaterThan(0)
  const before = await top()
  await press(page, 'Enter')
  await page.waitForURL(/\/videos\//)
  await page.getByRole('heading', { level: 1, name: /^Clip/ }).waitFor()
  await page.goBack()
  await expect.poll(top).toBe(before)
  expect(await list.getAttribute('aria-activedescendant')).toBe(active)
  expect(problems).toEqual([])
  await page.context().close()
})

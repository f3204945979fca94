/** The states of the library that tests check and of which screenshots are taken. */
import type { Page } from 'playwright-core'
import type { DashboardFixture } from './dashboard-fixture.ts'

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()

type Library = { readonly folder: string; readonly emptyFolder: string }

const prepared = new WeakMap<DashboardFixture, Promise<Library>>()

/** Adds folders and videos, once for each fixture. */
function prepareLibrary(fixture: DashboardFixture): Promise<Library> {
  const running = prepared.get(fixture) ?? fill(fixture)
  prepared.set(fixture, running)
  return running
}

async function fill({ caller }: DashboardFixture): Promise<Library> {
  const addFolder = async (title: string, parent: string | null = null) =>
    (await caller.post<{ uuid: string }>('assets/folders/', { title, parent })).body.uuid
  const addVideo = async (title: string, folder: string | null) => {
    const video = { title, folder, resolutions: ['360p'], tags: ['course', 'b-roll'] }
    return (await caller.post<{ asset: { id: string } }>('assets/upload-sessions/', video)).body.asset.id
  }
  const folder = await addFolder('Concerts')
  await addFolder('Zürich 2026', folder)
  const emptyFolder = await addFolder('A folder with a title that is much longer than the sidebar is wide')
  for (const title of ['Opening night', 'Tonhalle rehearsal, part 2', 'Encore']) await addVideo(title, folder)
  const trashed = [await addVideo('Rough cut', folder), await addVideo('Camera test', folder)]
  for (const id of trashed) await caller.delete(`assets/${id}/`)
  await caller.delete(`assets/folders/${await addFolder('Old drafts')}/?recursive=true`)
  return { folder, emptyFolder }
}

type Search = (library: Library) => string

/** A state of the library in an address. */
const state = (searchOf: Search, then: (page: Page) => Promise<unknown> = async () => {}) => ({
  isSignedIn: true as const,
  open: async (page: Page, fixture: DashboardFixture) => {
    const library = await prepareLibrary(fixture)
    await page.goto(`${fixture.origin}/o/${fixture.organizationId}/library${searchOf(library)}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.getByText(/\d+ videos?$/).waitFor()
    await then(page)
  },
})

const inFolder: Search = ({ folder }) => `?folder=${folder}`

const isNarrow = (page: Page) => (page.viewportSize()?.width ?? 0) < 860

async function selectTwo(page: Page): Promise<void> {
  await page.getByRole('listbox', { name: 'Videos' }).focus()
  await page.keyboard.press('Space')
  await page.keyboard.press('Shift+ArrowRight')
  await page.getByText('2 selected').waitFor()
}

async function openTrash(page: Page, fixture: DashboardFixture): Promise<void> {
  await prepareLibrary(fixture)
  await page.goto(`${fixture.origin}/o/${fixture.organizationId}/trash`)
  await page.getByRole('button', { name: 'Restore Rough cut' }).waitFor()
}

export const libraryStates = {
  library: state(inFolder),
  'library-list': state(inFolder, async (page) => {
    await press(page, 'List')
    await page.locator('[data-view=list]').waitFor()
  }),
  'library-selection': state(inFolder, selectTwo),
  'library-move': state(inFolder, async (page) => {
    await selectTwo(page)
    await press(page, 'Move to…')
    await page.getByRole('option', { name: 'Concerts' }).waitFor()
    // The open list of react-aria-components is outside of all landmarks.
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByRole('option', { name: 'Concerts' }).waitFor({ state: 'detached' })
  }),
  'library-tags': state(inFolder, async (page) => {
    await selectTwo(page)
    await press(page, 'Add tags')
    await page.getByRole('dialog').getByLabel('Tags').waitFor()
  }),
  'library-filters': state(
    (library) => `${inFolder(library)}&status=Processing,Error&from=2026-11-01`,
    async (page) => {
      await page.getByRole('button', { name: 'Filters, 2 used' }).click()
      await page.getByRole('checkbox', { name: 'Failed' }).waitFor()
    },
  ),
  'library-empty-folder': state(({ emptyFolder }) => `?folder=${emptyFolder}`),
  'library-nothing-found': state(() => '?q=nowhere'),
  'library-folder-menu': state(inFolder, async (page) => {
    if (isNarrow(page)) await press(page, 'Open navigation')
    const row = page.getByRole('row', { name: 'Concerts', exact: true })
    await row.focus()
    await page.keyboard.press('ArrowRight')
    await page.getByRole('row', { name: 'Zürich 2026' }).waitFor()
    await page.getByRole('button', { name: 'Actions for Concerts' }).click()
    await page.getByRole('menuitem', { name: 'Rename' }).waitFor()
  }),
  'library-new-folder': state(inFolder, async (page) => {
    await page.getByRole('main').getByRole('button', { name: 'New folder' }).click()
    await page.getByRole('dialog').getByLabel('Name').waitFor()
  }),
  trash: { isSignedIn: true as const, open: openTrash },
  'trash-delete': {
    isSignedIn: true as const,
    open: async (page: Page, fixture: DashboardFixture) => {
      await openTrash(page, fixture)
      await press(page, 'Delete forever: Rough cut')
      await page.getByRole('alertdialog').waitFor()
    },
  },
}

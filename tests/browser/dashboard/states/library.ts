/** The states of the library and of the trash. */
import type { Page } from 'playwright-core'
import type { LibraryFixture } from '../library-data.ts'
import { type Library, prepareLibrary } from './library-content.ts'
import { failing, openNavigation, press, problem, type State, type States, signedIn } from './state.ts'

type Search = (library: Library) => string
type Step = (page: Page) => Promise<unknown>

/** A state of the library in an address. */
const state = (searchOf: Search, then: Step = async () => {}): State =>
  signedIn(async (page, fixture) => {
    const library = await prepareLibrary(fixture)
    await page.goto(`${fixture.origin}/o/${fixture.organizationId}/library${searchOf(library)}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.getByText(/\d+ videos?$/).waitFor()
    await then(page)
  })

const everything: Search = () => ''
const inFolder: Search = ({ folder }) => `?folder=${folder}`

async function selectTwo(page: Page): Promise<void> {
  await page.getByRole('listbox', { name: 'Videos' }).focus()
  await page.keyboard.press('Space')
  await page.keyboard.press('Shift+ArrowRight')
  await page.getByText('2 selected').waitFor()
}

/** More videos than are changed one by one. */
const MANY = 1200

/** Selects all videos of a library that says that it has many. */
const selectMany: State = signedIn(async (page, fixture) => {
  await prepareLibrary(fixture)
  await page.route(/\/assets\/\?/, async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, json: { ...((await response.json()) as object), count: MANY } })
  })
  await page.goto(`${fixture.origin}/o/${fixture.organizationId}/library`)
  await page.getByText('1,200 videos').waitFor()
  await selectTwo(page)
  await press(page, 'Select all')
  await press(page, 'Delete')
  await page.getByRole('alertdialog').waitFor()
})

async function openFolderMenu(page: Page): Promise<void> {
  await openNavigation(page)
  const row = page.getByRole('row', { name: 'Concerts', exact: true })
  await row.focus()
  await page.keyboard.press('ArrowRight')
  await page.getByRole('row', { name: 'Zürich 2026' }).waitFor()
  await page.getByRole('button', { name: 'Actions for Concerts' }).click()
  await page.getByRole('menuitem', { name: 'Rename' }).waitFor()
}

/** Chooses an action for the folder, and waits for its dialog. */
const folderAction = (item: string, role: 'dialog' | 'alertdialog') =>
  state(inFolder, async (page) => {
    await openFolderMenu(page)
    await page.getByRole('menuitem', { name: item }).click()
    await page.getByRole(role).waitFor()
  })

/** A list that cannot be read, or that is empty. */
const withResponse = (path: string, pattern: RegExp, response: object): State =>
  signedIn(async (page, { origin, organizationId }) => {
    await page.route(pattern, (route) => route.fulfill(response))
    await page.goto(`${origin}/o/${organizationId}/${path}`)
    await page.getByRole('main').getByRole('heading', { level: 2 }).waitFor()
  })

const none = { json: { count: 0, next: null, previous: null, results: [] } }
const failed = problem(500, 'internal_error')

async function openTrash(page: Page, fixture: LibraryFixture): Promise<void> {
  await prepareLibrary(fixture)
  await page.goto(`${fixture.origin}/o/${fixture.organizationId}/trash`)
  await page.getByRole('button', { name: 'Restore Rough cut' }).waitFor()
}

export const libraryStates: States = {
  library: state(everything),
  'library-folder': state(inFolder),
  'library-list': state(everything, async (page) => {
    await press(page, 'List')
    await page.locator('[data-view=list]').waitFor()
  }),
  'library-order': state(inFolder, async (page) => {
    await page.getByRole('button', { name: /^Order/ }).click()
    await page.getByRole('menuitemradio', { name: 'Title A to Z' }).waitFor()
  }),
  'library-selection': state(everything, selectTwo),
  'library-delete-many': selectMany,
  'library-move': state(inFolder, async (page) => {
    await selectTwo(page)
    await press(page, 'Move to…')
    await page.getByRole('option', { name: 'Marketing' }).waitFor()
  }),
  'library-move-chosen': state(inFolder, async (page) => {
    await selectTwo(page)
    await press(page, 'Move to…')
    await page.getByRole('option', { name: 'Marketing' }).click()
    await page.getByRole('option', { name: 'Marketing' }).waitFor({ state: 'detached' })
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
  'library-found': state(() => '?q=onboarding'),
  'library-empty-folder': state(({ emptyFolder }) => `?folder=${emptyFolder}`),
  'library-nothing-found': state(() => '?q=nowhere'),
  'library-empty': withResponse('library', /\/assets\/\?/, none),
  'library-failed': failing(withResponse('library', /\/assets\/\?/, failed)),
  'library-folder-menu': state(inFolder, openFolderMenu),
  'library-rename-folder': folderAction('Rename', 'dialog'),
  'library-move-folder': folderAction('Move to…', 'dialog'),
  'library-delete-folder': folderAction('Delete', 'alertdialog'),
  'library-new-folder': state(inFolder, async (page) => {
    await page.getByRole('main').getByRole('button', { name: 'New folder' }).click()
    await page.getByRole('dialog').getByLabel('Name').waitFor()
  }),
  trash: signedIn(openTrash),
  'trash-delete': signedIn(async (page, fixture) => {
    await openTrash(page, fixture)
    await press(page, 'Delete forever: Rough cut')
    await page.getByRole('alertdialog').waitFor()
  }),
  'trash-delete-folder': signedIn(async (page, fixture) => {
    await openTrash(page, fixture)
    await press(page, 'Delete forever: Old drafts')
    await page.getByRole('alertdialog').waitFor()
  }),
  'trash-delete-everything': signedIn(async (page, fixture) => {
    await openTrash(page, fixture)
    await press(page, 'Empty trash')
    await page.getByRole('alertdialog').waitFor()
  }),
  'trash-empty': withResponse('trash', /\/trash\/\?/, none),
  'trash-failed': failing(withResponse('trash', /\/trash\/\?/, failed)),
}

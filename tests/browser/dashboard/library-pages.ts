/** A library with folders, and videos that wait for their files. The steps in it use the keyboard only. */
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { joinWithPassword } from './dashboard-fixture.ts'
import { type LibraryFixture, openLibraryFixture } from './library-data.ts'
import { PASSWORD } from './page-states.ts'

/** More than one page of the API, so that "all" means videos that are not loaded. */
export const MANY = 240
const KEY_PRESSES_MAX = 8

/** `database` is a name that no other test uses. */
export async function openLibraryPages(database: string) {
  await using opening = new AsyncDisposableStack()
  const fixture = opening.use(await openLibraryFixture(database))
  const content = await addContent(fixture)
  const more = { ...content, openLibrary: libraryOpener(fixture, content.uuidOf) }
  const open = opening.move()
  return { ...fixture, ...more, [Symbol.asyncDispose]: () => open.disposeAsync() }
}

async function addContent({ client, caller }: LibraryFixture) {
  const folders = new Map<string, string>()
  const uuidOf = (title: string) => folders.get(title) ?? ''
  const addFolder = async (title: string, parent?: string) => {
    const { uuid } = await client.folders.create({ title, parent: parent === undefined ? null : uuidOf(parent) })
    folders.set(title, uuid)
  }
  /** Creates videos that wait for their files. */
  const addVideos = async (titles: readonly string[], folder?: string): Promise<readonly string[]> => {
    const ids: string[] = []
    for (const title of titles) {
      const { body } = await caller.post<{ asset: { id: string } }>('assets/upload-sessions/', {
        ...{ title, resolutions: ['360p'], folder: folder === undefined ? null : uuidOf(folder) },
      })
      ids.push(body.asset.id)
    }
    return ids
  }
  await addFolder('Concerts')
  await addFolder('Zürich 2026', 'Concerts')
  await addFolder('Talks')
  await addFolder('Many')
  await addVideos(['Opening night', 'Encore'], 'Concerts')
  await addVideos(['Keynote', 'Part 2', 'Part 10'], 'Talks')
  await addVideos(
    Array.from({ length: MANY }, (_, index) => `Clip ${index}`),
    'Many',
  )
  return { uuidOf, addVideos }
}

/** Returns a function that opens the library as a member with a role, who may be limited to a folder. */
function libraryOpener(fixture: LibraryFixture, uuidOf: (title: string) => string) {
  const storageStates = new Map<string, Awaited<ReturnType<typeof memberState>>>()
  const memberState = async (role: string, folder?: string) => {
    const { page } = await fixture.newPage()
    const limits = folder === undefined ? {} : { folder_uuid: uuidOf(folder) }
    const link = await fixture.invite(`${role}-${folder ?? 'all'}@example.org`, { role, ...limits })
    await joinWithPassword(page, link, `A ${role}`, PASSWORD)
    const { cookies } = await page.context().storageState()
    await page.context().close()
    return { cookies, origins: [] }
  }
  return async (search = '', role = 'editor', folder?: string) => {
    const key = `${role} ${folder}`
    const storageState = storageStates.get(key) ?? (await memberState(role, folder))
    storageStates.set(key, storageState)
    const opened = await fixture.newPage({ storageState, viewport: { width: 1280, height: 900 } })
    await opened.page.goto(`${fixture.origin}/o/${fixture.organizationId}/library${search}`)
    await opened.page.getByRole('heading', { level: 1 }).waitFor()
    return opened
  }
}

export const grid = (page: Page) => page.getByRole('listbox', { name: 'Videos' })
export const option = (page: Page, title: string) => grid(page).getByRole('option', { name: title })
export const folderRow = (page: Page, title: string) => page.getByRole('row', { name: title, exact: true })
export const toast = (page: Page, text: string | RegExp) =>
  page.getByRole('region', { name: 'Messages' }).getByText(text)
export const search = (page: Page) => new URL(page.url()).search
export const keys = async (page: Page, ...names: string[]) => {
  for (const name of names) await page.keyboard.press(name)
}
export const titles = async (page: Page) => (await grid(page).locator('[data-title]').allTextContents()).sort()

const focusedText = (page: Page) =>
  page.evaluate("document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent")

/** Presses a key until the element with this name has the focus. */
async function pressUntil(page: Page, key: string, name: string): Promise<void> {
  for (let presses = 0; presses < KEY_PRESSES_MAX; presses++) {
    if ((await focusedText(page)) === name) return
    await keys(page, key)
  }
  throw new Error(`${name} did not get the focus by ${key}.`)
}

/** Opens an action of a folder with the keyboard. */
export async function chooseFolderAction(page: Page, folder: string, action: string): Promise<void> {
  await folderRow(page, folder).focus()
  await pressUntil(page, 'ArrowRight', `Actions for ${folder}`)
  await keys(page, 'Enter')
  await page.getByRole('menuitem', { name: action }).waitFor()
  await pressUntil(page, 'ArrowDown', action)
  await keys(page, 'Enter')
}

/** Chooses a folder in the dialog that is open. */
export async function moveTo(page: Page, folder: string): Promise<void> {
  const field = page.getByRole('combobox', { name: 'Folder' })
  await field.waitFor()
  await page.keyboard.type(folder)
  await page.getByRole('option', { name: folder, exact: true }).waitFor()
  await keys(page, 'ArrowDown', 'Enter')
  await expect.poll(() => page.getByRole('option', { name: folder, exact: true }).count()).toBe(0)
  await page.getByRole('dialog').getByRole('button', { name: 'Move', exact: true }).focus()
  await keys(page, 'Enter')
}

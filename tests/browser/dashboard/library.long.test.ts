/** The library of the dashboard in Chromium, with a real API and worker. All flows use the keyboard only. */
import { uploadAsset } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { joinWithPassword } from './dashboard-fixture.ts'
import { openLibraryFixture } from './library-data.ts'
import { PASSWORD } from './page-states.ts'

const fixture = await opened(openLibraryFixture('dashboard_library'))
const { client, caller, origin, organizationId } = fixture
const library = `${origin}/o/${organizationId}/library`

/** More than one page of the API, so that "all" means videos that are not loaded. */
const MANY = 240
/** Cards near the visible part of a window of 900 pixels. */
const CARDS_MAX = 60
const KEY_PRESSES_MAX = 8

const folders = new Map<string, string>()
const uuidOf = (title: string) => folders.get(title) ?? ''

async function addFolder(title: string, parent?: string): Promise<void> {
  const { uuid } = await client.folders.create({ title, parent: parent === undefined ? null : uuidOf(parent) })
  folders.set(title, uuid)
}

/** Creates videos that wait for their files. */
async function addVideos(titles: readonly string[], folder?: string): Promise<readonly string[]> {
  const ids: string[] = []
  for (const title of titles) {
    const { body } = await caller.post<{ asset: { id: string } }>('assets/upload-sessions/', {
      ...{ title, resolutions: ['360p'], folder: folder === undefined ? null : uuidOf(folder) },
    })
    ids.push(body.asset.id)
  }
  return ids
}

const storageStates = new Map<string, Awaited<ReturnType<typeof memberState>>>()

async function memberState(role: string, folder?: string) {
  const { page } = await fixture.newPage()
  const limits = folder === undefined ? {} : { folder_uuid: uuidOf(folder) }
  const link = await fixture.invite(`${role}-${folder ?? 'all'}@example.org`, { role, ...limits })
  await joinWithPassword(page, link, `A ${role}`, PASSWORD)
  const { cookies } = await page.context().storageState()
  await page.context().close()
  return { cookies, origins: [] }
}

async function openLibrary(search = '', role = 'editor', folder?: string) {
  const key = `${role} ${folder}`
  const storageState = storageStates.get(key) ?? (await memberState(role, folder))
  storageStates.set(key, storageState)
  const opened = await fixture.newPage({ storageState, viewport: { width: 1280, height: 900 } })
  await opened.page.goto(`${library}${search}`)
  await opened.page.getByRole('heading', { level: 1 }).waitFor()
  return opened
}

const grid = (page: Page) => page.getByRole('listbox', { name: 'Videos' })
const option = (page: Page, title: string) => grid(page).getByRole('option', { name: title })
const folderRow = (page: Page, title: string) => page.getByRole('row', { name: title, exact: true })
const toast = (page: Page, text: string | RegExp) => page.getByRole('region', { name: 'Messages' }).getByText(text)
const search = (page: Page) => new URL(page.url()).search
const keys = async (page: Page, ...names: string[]) => {
  for (const name of names) await page.keyboard.press(name)
}
const titles = async (page: Page) => (await grid(page).locator('[data-title]').allTextContents()).sort()

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
async function chooseFolderAction(page: Page, folder: string, action: string): Promise<void> {
  await folderRow(page, folder).focus()
  await pressUntil(page, 'ArrowRight', `Actions for ${folder}`)
  await keys(page, 'Enter')
  await page.getByRole('menuitem', { name: action }).waitFor()
  await pressUntil(page, 'ArrowDown', action)
  await keys(page, 'Enter')
}

/** Chooses a folder in the dialog that is open. */
async function moveTo(page: Page, folder: string): Promise<void> {
  const field = page.getByRole('combobox', { name: 'Folder' })
  await field.waitFor()
  await page.keyboard.type(folder)
  await page.getByRole('option', { name: folder, exact: true }).waitFor()
  await keys(page, 'ArrowDown', 'Enter')
  await expect.poll(() => page.getByRole('option', { name: folder, exact: true }).count()).toBe(0)
  await page.getByRole('dialog').getByRole('button', { name: 'Move', exact: true }).focus()
  await keys(page, 'Enter')
}

beforeAll(async () => {
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
})

describe('folders', () => {
  it('are opened level by level with the arrow keys, and Enter shows the videos of one', async () => {
    const { page, problems } = await openLibrary()
    const concerts = folderRow(page, 'Concerts')
    await concerts.focus()
    expect(await concerts.getAttribute('aria-expanded')).toBe('false')
    await keys(page, 'ArrowRight')
    await folderRow(page, 'Zürich 2026').waitFor()
    expect(await concerts.getAttribute('aria-expanded')).toBe('true')
    await keys(page, 'Enter')
    await page.getByRole('heading', { level: 1, name: 'Concerts' }).waitFor()
    expect(search(page)).toBe(`?folder=${uuidOf('Concerts')}`)
    await option(page, 'Encore').waitFor()
    expect(await titles(page)).toEqual(['Encore', 'Opening night'])
    expect(problems).toEqual([])
  })

  it('of an address are shown with their path', async () => {
    const { page } = await openLibrary(`?folder=${uuidOf('Zürich 2026')}`)
    await page.getByRole('heading', { level: 1, name: 'Zürich 2026' }).waitFor()
    await folderRow(page, 'Zürich 2026').waitFor()
    await page.getByRole('navigation', { name: 'Path' }).getByRole('link', { name: 'Concerts' }).focus()
    await keys(page, 'Enter')
    await page.getByRole('heading', { level: 1, name: 'Concerts' }).waitFor()
  })

  it('are created, renamed, moved, deleted and restored', async () => {
    const { page, problems } = await openLibrary()
    await page.getByRole('button', { name: 'New folder' }).first().focus()
    await keys(page, 'Enter')
    await page.getByRole('dialog').getByLabel('Name').waitFor()
    await page.keyboard.type('Drafts')
    await keys(page, 'Enter')
    await page.getByRole('heading', { level: 1, name: 'Drafts' }).waitFor()
    await page.getByRole('heading', { name: 'This folder has no videos' }).waitFor()

    await chooseFolderAction(page, 'Drafts', 'Rename')
    await page.getByRole('dialog').getByLabel('Name').waitFor()
    await page.keyboard.type('Rough cuts')
    await keys(page, 'Enter')
    await page.getByRole('heading', { level: 1, name: 'Rough cuts' }).waitFor()

    await chooseFolderAction(page, 'Rough cuts', 'Move to…')
    await moveTo(page, 'Talks')
    await toast(page, 'Rough cuts moved to Talks.').waitFor()
    await page.getByRole('navigation', { name: 'Path' }).getByRole('link', { name: 'Talks' }).waitFor()

    await chooseFolderAction(page, 'Rough cuts', 'Delete')
    await page.getByRole('alertdialog').getByRole('button', { name: 'Move to trash' }).focus()
    await keys(page, 'Enter')
    await toast(page, 'Rough cuts moved to the trash.').waitFor()
    await expect.poll(() => folderRow(page, 'Rough cuts').count()).toBe(0)
    await page.getByRole('region', { name: 'Messages' }).getByRole('button', { name: 'Undo' }).last().focus()
    await keys(page, 'Enter')
    await folderRow(page, 'Rough cuts').waitFor()
    expect(problems).toEqual([])
  })

  it('that another member creates or renames appear by themselves', async () => {
    const { page } = await openLibrary()
    await folderRow(page, 'Talks').waitFor()
    const { uuid } = await client.folders.create({ title: 'Arrived' })
    await folderRow(page, 'Arrived').waitFor()
    await client.folders.update(uuid, { title: 'Arrived and renamed' })
    await folderRow(page, 'Arrived and renamed').waitFor()
    await client.folders.delete(uuid)
    await expect.poll(() => folderRow(page, 'Arrived and renamed').count()).toBe(0)
  })

  it('accept videos that are dropped on them', async () => {
    const [id = ''] = await addVideos(['Dragged'])
    const { page } = await openLibrary('?q=Dragged')
    await option(page, 'Dragged').dragTo(folderRow(page, 'Talks'))
    await toast(page, '1 video moved to Talks.').waitFor()
    expect((await client.assets.read(id)).parent_id).toBe(uuidOf('Talks'))
    await client.assets.delete(id)
  })
})

describe('search, filters and order', () => {
  it('are in the address, which shows the same list again', async () => {
    const { page, problems } = await openLibrary()
    await option(page, 'Clip').first().waitFor()
    await keys(page, '/')
    await page.keyboard.type('part')
    await expect.poll(() => titles(page)).toEqual(['Part 10', 'Part 2'])
    expect(search(page)).toBe('?q=part')
    await page.getByRole('button', { name: /^Order/ }).focus()
    await keys(page, 'Enter')
    await page.getByRole('menuitemradio', { name: 'Title A to Z' }).waitFor()
    await keys(page, 'ArrowDown', 'ArrowDown', 'Enter')
    await expect.poll(() => search(page)).toBe('?q=part&order=title')
    await page.reload()
    await option(page, 'Part 10').waitFor()
    expect(await grid(page).locator('[data-title]').allTextContents()).toEqual(['Part 2', 'Part 10'])
    expect(await page.getByRole('searchbox').inputValue()).toBe('part')
    expect(problems).toEqual([])
  })

  it('say what to do if nothing is found', async () => {
    const { page } = await openLibrary('?q=nowhere&status=Error')
    await page.getByRole('heading', { name: 'Nothing found' }).waitFor()
    await page.getByRole('button', { name: 'Clear search and filters' }).focus()
    await keys(page, 'Enter')
    await option(page, 'Clip').first().waitFor()
    expect(search(page)).toBe('')
  })

  it('filter by status', async () => {
    const { page } = await openLibrary(`?folder=${uuidOf('Talks')}`)
    await option(page, 'Keynote').waitFor()
    await page.getByRole('button', { name: 'Filters' }).focus()
    await keys(page, 'Enter')
    await page.getByRole('checkbox', { name: 'Failed' }).focus()
    await keys(page, 'Space')
    await page.getByRole('heading', { name: 'Nothing found' }).waitFor({ state: 'attached' })
    expect(search(page)).toBe(`?folder=${uuidOf('Talks')}&status=Error`)
  })
})

describe('the list', () => {
  it('opens a video with Enter, and returns to it', async () => {
    const { page } = await openLibrary(`?folder=${uuidOf('Talks')}&order=title`)
    await option(page, 'Keynote').waitFor()
    await grid(page).focus()
    await keys(page, 'ArrowRight', 'Enter')
    await page.waitForURL(/\/videos\//)
    await page.goBack()
    await option(page, 'Keynote').waitFor()
    expect(search(page)).toBe(`?folder=${uuidOf('Talks')}&order=title`)
  })

  it('keeps few elements in the document, and the active one among them', async () => {
    const { page, problems } = await openLibrary(`?folder=${uuidOf('Many')}`)
    await option(page, 'Clip').first().waitFor()
    await grid(page).focus()
    for (let presses = 0; presses < 4; presses++) {
      await keys(page, 'End')
      const active = await grid(page).getAttribute('aria-activedescendant')
      await page.locator(`[id="${active}"]`).waitFor()
      expect(await grid(page).getByRole('option').count()).toBeLessThan(CARDS_MAX)
    }
    await option(page, 'Clip 0').last().waitFor()
    await page.evaluate("document.querySelector('[role=listbox]').scrollTo(0, 0)")
    await expect.poll(() => grid(page).getByRole('option').count()).toBeLessThan(CARDS_MAX)
    expect(problems).toEqual([])
  })

  it('changes to rows and remembers it', async () => {
    const { page } = await openLibrary(`?folder=${uuidOf('Talks')}`)
    await option(page, 'Keynote').waitFor()
    await page.getByRole('button', { name: 'List', exact: true }).focus()
    await keys(page, 'Enter')
    await page.reload()
    await option(page, 'Keynote').waitFor()
    expect(await page.getByRole('button', { name: 'List', exact: true }).getAttribute('aria-pressed')).toBe('true')
  })

  it('shows new videos, their status and their end without being read again', async () => {
    const { page } = await openLibrary(`?folder=${uuidOf('Concerts')}`)
    await option(page, 'Encore').waitFor()
    const opened = await uploadAsset(caller, { title: 'Not a film', folder: uuidOf('Concerts') })
    await option(page, 'Not a film').waitFor()
    await option(page, 'Failed').waitFor()
    await page.getByText('3 videos', { exact: true }).waitFor()
    await client.assets.delete(opened.asset.id)
    await expect.poll(() => option(page, 'Not a film').count()).toBe(0)
    await page.getByText('2 videos', { exact: true }).waitFor()
  })
})

describe('a selection', () => {
  it('is moved to another folder and back', async () => {
    const { page, problems } = await openLibrary(`?folder=${uuidOf('Talks')}&order=title`)
    await option(page, 'Keynote').waitFor()
    await grid(page).focus()
    await keys(page, 'Space', 'Shift+ArrowRight')
    await page.getByText('2 selected').waitFor()
    await page.getByRole('toolbar').getByRole('button', { name: 'Move to…' }).focus()
    await keys(page, 'Enter')
    await moveTo(page, 'Zürich 2026')
    await toast(page, '2 videos moved to Zürich 2026.').waitFor()
    await expect.poll(() => titles(page)).toEqual(['Part 10'])
    await page.getByRole('region', { name: 'Messages' }).getByRole('button', { name: 'Undo' }).focus()
    await keys(page, 'Enter')
    await toast(page, 'Moved back.').waitFor()
    const { results } = await client.assets.list({ folder: uuidOf('Talks') })
    expect(results.map(({ title }) => title).sort()).toEqual(['Keynote', 'Part 10', 'Part 2'])
    expect(problems).toEqual([])
  })

  it('gets tags, and loses only the new ones by undo', async () => {
    const [one = '', other = ''] = await addVideos(['Tag one', 'Tag two'])
    await client.assets.update(one, { tags: ['course'] })
    const { page } = await openLibrary('?q=Tag')
    await option(page, 'Tag two').waitFor()
    await grid(page).focus()
    await keys(page, 'Control+a')
    await page.getByRole('toolbar').getByRole('button', { name: 'Add tags' }).focus()
    await keys(page, 'Enter')
    await page.getByRole('dialog').getByLabel('Tags').waitFor()
    await page.keyboard.type('course, b-roll')
    await keys(page, 'Enter')
    await toast(page, 'Tags added to 2 videos.').waitFor()
    expect((await client.assets.read(other)).tags).toEqual(['b-roll', 'course'])
    await page.getByRole('region', { name: 'Messages' }).getByRole('button', { name: 'Undo' }).focus()
    await keys(page, 'Enter')
    await toast(page, 'Tags removed again.').waitFor()
    expect((await client.assets.read(one)).tags).toEqual(['course'])
    expect((await client.assets.read(other)).tags).toEqual([])
    await Promise.all([one, other].map((id) => client.assets.delete(id)))
  })

  it('of all videos that match is deleted except one, and restored, also what is not loaded', async () => {
    const { page, problems } = await openLibrary(`?folder=${uuidOf('Many')}`)
    await option(page, 'Clip').first().waitFor()
    await grid(page).focus()
    await keys(page, 'Control+a', 'Space')
    await page.getByText(`${MANY - 1} selected`).waitFor()
    await page.getByRole('toolbar').getByRole('button', { name: 'Delete' }).focus()
    await keys(page, 'Enter')
    await toast(page, `${MANY - 1} videos moved to the trash.`).waitFor({ timeout: 120_000 })
    expect((await client.assets.list({ folder: uuidOf('Many') })).count).toBe(1)
    await expect.poll(() => titles(page)).toEqual([`Clip ${MANY - 1}`])
    await page.getByRole('region', { name: 'Messages' }).getByRole('button', { name: 'Undo' }).last().focus()
    await keys(page, 'Enter')
    await toast(page, 'Restored.').waitFor({ timeout: 120_000 })
    expect((await client.assets.list({ folder: uuidOf('Many') })).count).toBe(MANY)
    expect(problems).toEqual([])
  })
})

describe('the trash', () => {
  it('restores a video and deletes another forever', async () => {
    const [one = '', other = ''] = await addVideos(['Regretted', 'Unwanted'])
    await Promise.all([one, other].map((id) => client.assets.delete(id)))
    const { page, problems } = await openLibrary()
    await page.getByRole('link', { name: 'Trash' }).focus()
    await keys(page, 'Enter')
    await page.getByRole('heading', { level: 1, name: 'Trash' }).waitFor()
    await page.getByRole('button', { name: 'Restore Regretted' }).focus()
    await keys(page, 'Enter')
    await toast(page, 'Regretted was restored.').waitFor()
    expect((await client.assets.read(one)).deleted_at).toBeNull()
    await page
      .getByText(/^30 days left$/)
      .first()
      .waitFor()
    await page.getByRole('button', { name: 'Delete forever: Unwanted' }).focus()
    await keys(page, 'Enter')
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete forever' }).focus()
    await keys(page, 'Enter')
    await toast(page, 'Unwanted was deleted forever.').waitFor()
    await expect.poll(() => page.getByText('Unwanted', { exact: true }).count()).toBe(0)
    expect(problems).toEqual([])
    await client.assets.delete(one)
  })
})

describe('roles', () => {
  it('a viewer sees folders and videos, and nothing that changes them', async () => {
    const { page, problems } = await openLibrary(`?folder=${uuidOf('Talks')}`, 'viewer')
    await option(page, 'Keynote').waitFor()
    await folderRow(page, 'Talks').waitFor()
    const names = /New folder|Actions for|Delete|Move|Select|Restore/
    expect(await page.getByRole('button', { name: names }).count()).toBe(0)
    await grid(page).focus()
    await keys(page, 'Control+a')
    expect(await page.getByRole('toolbar').count()).toBe(0)
    expect(await grid(page).getAttribute('aria-multiselectable')).toBeNull()
    await page.getByRole('link', { name: 'Trash' }).focus()
    await keys(page, 'Enter')
    await page.getByRole('heading', { level: 1, name: 'Trash' }).waitFor()
    expect(await page.getByRole('button', { name: names }).count()).toBe(0)
    expect(problems).toEqual([])
  })

  it('an uploader creates folders but does not change them', async () => {
    const { page } = await openLibrary('', 'uploader')
    await chooseFolderAction(page, 'Talks', 'New folder inside')
    await page.getByRole('dialog').getByLabel('Name').waitFor()
    await keys(page, 'Escape')
    await folderRow(page, 'Talks').focus()
    await page.getByRole('button', { name: 'Actions for Talks' }).press('Enter')
    await page.getByRole('menuitem', { name: 'New folder inside' }).waitFor()
    expect(await page.getByRole('menuitem').count()).toBe(1)
  })

  it('a member who is limited to a folder sees it as the root', async () => {
    const { page, problems } = await openLibrary('', 'editor', 'Concerts')
    await option(page, 'Encore').waitFor()
    expect(await titles(page)).toEqual(['Encore', 'Opening night'])
    await folderRow(page, 'Zürich 2026').waitFor()
    expect(await folderRow(page, 'Talks').count()).toBe(0)
    await page.getByRole('button', { name: 'New folder' }).first().focus()
    await keys(page, 'Enter')
    await page.getByRole('dialog').getByLabel('Name').waitFor()
    await page.keyboard.type('Inside')
    await keys(page, 'Enter')
    await page.getByRole('heading', { level: 1, name: 'Inside' }).waitFor()
    const { results } = await client.folders.list({ parent: uuidOf('Concerts') })
    expect(results.map(({ title }) => title)).toEqual(['Inside', 'Zürich 2026'])
    expect(problems).toEqual([])
  })
})

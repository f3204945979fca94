/** The main flows of the dashboard, done with the keyboard only: no step uses the pointer or sets the focus. */
import { writeFileSync } from 'node:fs'
import { probedAsset } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { slowDown } from '../upload-fixture.ts'
import { focused, press, pressButton, reach } from './keyboard.ts'
import { openUploadsFixture, rowOf } from './uploads-fixture.ts'

const MEBIBYTE = 1024 ** 2

const fixture = await opened(openUploadsFixture('dashboard_keyboard'))
const { caller } = fixture

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true }).waitFor()
const toast = (page: Page, text: string) =>
  page.getByRole('region', { name: 'Messages' }).getByText(text, { exact: true }).waitFor()
const folderRow = (page: Page, title: string) => page.getByRole('row', { name: title, exact: true })

const newFolder = async (title: string) => (await caller.post<{ uuid: string }>('assets/folders/', { title })).body.uuid
const newVideo = async (title: string, folder: string | null = null) =>
  (await caller.post<{ asset: { id: string } }>('assets/upload-sessions/', { title, resolutions: ['240p'], folder }))
    .body.asset.id

/** Presses the shortcut of undo. Shortcuts do nothing while a dialog is open, also while it closes. */
async function undo(page: Page): Promise<void> {
  await page.getByRole('dialog').or(page.getByRole('alertdialog')).waitFor({ state: 'hidden' })
  await press(page, 'z')
}

/** Opens the menu of a folder in the tree and chooses an item. */
async function chooseInTree(page: Page, folder: string, item: string): Promise<void> {
  await reach(page, page.getByRole('row'))
  await press(page, 'Home')
  await reach(page, folderRow(page, folder), 'ArrowDown')
  await reach(page, page.getByRole('button', { name: `Actions for ${folder}` }), 'ArrowRight')
  await press(page, 'Enter')
  await reach(page, page.getByRole('menuitem', { name: item }), 'ArrowDown')
  await press(page, 'Enter')
}

/** Chooses a folder in the dialog that is open. */
async function moveTo(page: Page, folder: string): Promise<void> {
  await page.getByRole('combobox', { name: 'Folder' }).and(page.locator(':focus')).waitFor()
  await page.keyboard.type(folder)
  await page.getByRole('option', { name: folder, exact: true }).waitFor()
  await press(page, 'ArrowDown', 'Enter')
  await page.getByRole('option', { name: folder, exact: true }).waitFor({ state: 'hidden' })
  await pressButton(page, 'Move')
}

/** The dialog with this field has opened and the field has the focus. */
const fieldOpened = (page: Page, label: string) =>
  page.getByLabel(label, { exact: true }).and(page.locator(':focus')).waitFor()

it('folders are created, renamed, moved and deleted with the keyboard only', async () => {
  await newFolder('Talks')
  const page = await fixture.openPage()
  await pressButton(page, 'New folder')
  await fieldOpened(page, 'Name')
  await page.keyboard.type('Drafts')
  await press(page, 'Enter')
  await heading(page, 'Drafts')
  await chooseInTree(page, 'Drafts', 'Rename')
  await fieldOpened(page, 'Name')
  await page.keyboard.type('Rough cuts')
  await press(page, 'Enter')
  await heading(page, 'Rough cuts')
  await chooseInTree(page, 'Rough cuts', 'Move to…')
  await moveTo(page, 'Talks')
  await toast(page, 'Rough cuts moved to Talks.')
  await undo(page)
  await toast(page, 'Undone.')
  await chooseInTree(page, 'Rough cuts', 'Delete')
  await pressButton(page, 'Move to trash')
  await toast(page, 'Rough cuts moved to the trash.')
  await undo(page)
  await folderRow(page, 'Rough cuts').waitFor()
  expect(await focused(page)).not.toBe('BODY')
  await page.context().close()
})

it('videos are selected, moved, deleted, filtered and opened with the keyboard only', async () => {
  const [from] = [await newFolder('From'), await newFolder('To')]
  await newVideo('First', from)
  await newVideo('Second', from)
  const page = await fixture.openPage()
  await reach(page, page.getByRole('row'))
  await reach(page, folderRow(page, 'From'), 'ArrowDown')
  await press(page, 'Enter')
  await heading(page, 'From')
  const list = page.getByRole('listbox', { name: 'Videos' })
  await reach(page, list)
  await press(page, 'Space', 'Shift+ArrowRight')
  await page.getByText('2 selected').waitFor()
  await pressButton(page, 'Move to…')
  await moveTo(page, 'To')
  await toast(page, '2 videos moved to To.')
  await undo(page)
  await toast(page, 'Moved back.')
  await reach(page, list)
  await press(page, 'Control+a')
  await pressButton(page, 'Delete')
  await toast(page, '2 videos moved to the trash.')
  await undo(page)
  await toast(page, 'Restored.')
  await pressButton(page, 'Filters')
  await reach(page, page.getByRole('checkbox', { name: 'Failed' }))
  await press(page, 'Space', 'Escape')
  await page.getByRole('heading', { name: 'Nothing found' }).waitFor()
  await pressButton(page, 'Clear search and filters')
  await list.getByRole('option', { name: 'First' }).waitFor()
  await reach(page, list)
  await press(page, 'Enter')
  await page.waitForURL(/\/videos\//)
  await page.context().close()
})

it('a file is chosen, uploaded, paused and resumed with the keyboard only', async () => {
  const page = await fixture.openPage()
  const { path } = fixture.newFile('by keyboard.mp4', 20 * MEBIBYTE)
  const speedUp = await slowDown(page, MEBIBYTE)
  const choosing = page.waitForEvent('filechooser')
  await press(page, 'u')
  await page.getByRole('button', { name: 'Choose files' }).and(page.locator(':focus')).waitFor()
  await press(page, 'Enter')
  await (await choosing).setFiles(path)
  await pressButton(page, 'Upload 1 file')
  await pressButton(page, 'Pause by keyboard.mp4')
  await rowOf(page, 'by keyboard.mp4')
    .getByText(/^Paused/)
    .waitFor()
  // The same button resumes.
  expect(await focused(page)).toBe('Resume by keyboard.mp4')
  await press(page, 'Enter')
  await speedUp()
  await rowOf(page, 'by keyboard.mp4').getByText('Uploaded, waiting for processing').waitFor()
  await page.context().close()
})

it('a video is edited and shared with the keyboard only, and the focus is never lost', async () => {
  const { id } = (await probedAsset(caller, {}, fixture.env)).asset
  await caller.patch(`assets/${id}/`, { title: 'Draft' })
  const page = await fixture.openPage(`videos/${id}`)
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await heading(page, 'Draft')
  await pressButton(page, 'Edit title')
  await fieldOpened(page, 'Title')
  await page.keyboard.type('Final')
  await press(page, 'Enter')
  await heading(page, 'Final')
  expect(await focused(page)).toBe('Edit title')

  await pressButton(page, 'Add chapter')
  await fieldOpened(page, 'Title of the chapter')
  await page.keyboard.type('Intro')
  await press(page, 'Enter')
  await page.getByRole('button', { name: 'Edit chapter Intro' }).waitFor()
  await expect.poll(() => focused(page)).toBe('Add chapter')
  await reach(page, page.getByRole('button', { name: 'Edit chapter Intro' }), 'Shift+Tab')
  await press(page, 'Enter')
  await fieldOpened(page, 'Title of the chapter')
  await page.keyboard.type('Opening')
  await press(page, 'Enter')
  await expect.poll(() => focused(page)).toBe('Edit chapter Opening')
  await pressButton(page, 'Delete chapter Opening')
  await page.getByRole('button', { name: 'Edit chapter Opening' }).waitFor({ state: 'hidden' })
  await expect.poll(() => focused(page)).toBe('Add chapter')

  await addCaptions(page)
  await press(page, 's')
  await pressButton(page, 'Create link')
  await page.getByRole('heading', { name: 'The link is ready' }).waitFor()
  await pressButton(page, 'Copy link')
  await expect.poll(() => page.evaluate<string>('navigator.clipboard.readText()')).toMatch(/^http/)
  await press(page, 'Escape')
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
  await pressButton(page, 'Move to trash')
  await page.waitForURL(/\/library/)
  await undo(page)
  await toast(page, 'Restored.')
  await page.context().close()
})

async function addCaptions(page: Page): Promise<void> {
  const path = fixture.pathOf('captions.vtt')
  writeFileSync(path, 'WEBVTT\n\n00:00.000 --> 00:02.000\nHello\n')
  await reach(page, page.getByRole('tab', { name: 'Chapters' }), 'Shift+Tab')
  await press(page, 'ArrowRight')
  await pressButton(page, 'Add captions')
  const dialog = page.getByRole('dialog', { name: 'Add captions' })
  const choosing = page.waitForEvent('filechooser')
  await reach(page, dialog.getByLabel('File (WebVTT or SRT)'))
  await press(page, 'Space')
  await (await choosing).setFiles(path)
  await reach(page, dialog.getByRole('button', { name: 'Add captions' }))
  await press(page, 'Enter')
  await page.getByRole('list', { name: 'Captions' }).getByText('English').first().waitFor()
  await expect.poll(() => focused(page)).toBe('Add captions')
}

it('a token is created in the settings with the keyboard only', async () => {
  const page = await fixture.openPage('settings/tokens')
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await heading(page, 'API tokens')
  await pressButton(page, 'Create a token')
  await fieldOpened(page, 'Name')
  await page.keyboard.type('Catalog')
  await reach(page, page.getByRole('checkbox', { name: 'See folders' }))
  await press(page, 'Space')
  await pressButton(page, 'Create token')
  await pressButton(page, 'Copy: API token')
  await expect.poll(() => page.evaluate<string>('navigator.clipboard.readText()')).toMatch(/^\w{20}/)
  const secret = await page.evaluate<string>('navigator.clipboard.readText()')
  expect((await caller.withToken(secret).get('assets/folders/')).status).toBe(200)
  await pressButton(page, 'Done')
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
  await page.getByText('Catalog', { exact: true }).waitFor()
  await expect.poll(() => focused(page)).toBe('Create a token')
  await page.context().close()
})

it('videos and folders are restored from the trash with the keyboard only, and the focus is never lost', async () => {
  const folder = await newFolder('Regretted folder')
  const video = await newVideo('Regretted video')
  await caller.delete(`assets/folders/${folder}/?recursive=true`)
  await caller.delete(`assets/${video}/`)
  const page = await fixture.openPage('trash')
  await heading(page, 'Trash')
  await pressButton(page, 'Restore Regretted video')
  await toast(page, 'Regretted video was restored.')
  await page.getByRole('button', { name: 'Restore Regretted video' }).waitFor({ state: 'hidden' })
  await expect.poll(() => focused(page)).toBe('Restore Regretted folder')
  await press(page, 'Enter')
  await toast(page, 'Regretted folder was restored.')
  await page.getByRole('heading', { name: 'The trash is empty' }).waitFor()
  await expect.poll(() => focused(page)).toBe('Trash')
  expect((await caller.get(`assets/${video}/`)).status).toBe(200)
  expect((await caller.get(`assets/folders/${folder}/`)).status).toBe(200)
  await page.context().close()
})

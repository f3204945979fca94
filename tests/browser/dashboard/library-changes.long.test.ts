/** Changes of many videos, the trash and roles in the library, in Chromium. All flows use the keyboard only. */
import { opened } from '@reelkeep/testkit/vitest'
import { describe, expect, it } from 'vitest'
import {
  chooseFolderAction,
  folderRow,
  grid,
  keys,
  MANY,
  moveTo,
  openLibraryPages,
  option,
  titles,
  toast,
} from './library-pages.ts'

const fixture = await opened(openLibraryPages('dashboard_library_changes'))
const { client, addVideos, openLibrary, uuidOf } = fixture

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

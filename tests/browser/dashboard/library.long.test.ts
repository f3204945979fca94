/** The library of the dashboard in Chromium, with a real API and worker. All flows use the keyboard only. */
import { uploadAsset } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { describe, expect, it } from 'vitest'
import {
  chooseFolderAction,
  folderRow,
  grid,
  keys,
  moveTo,
  openLibraryPages,
  option,
  search,
  titles,
  toast,
} from './library-pages.ts'

const fixture = await opened(openLibraryPages('dashboard_library'))
const { client, caller, addVideos, openLibrary, uuidOf } = fixture

/** Cards near the visible part of a window of 900 pixels. */
const CARDS_MAX = 60

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

  it('that another member creates or renames appear without a reload', async () => {
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
    // End goes to the last video that is loaded, and loads the next page.
    const isAtEnd = async () => {
      await keys(page, 'End')
      const active = await grid(page).getAttribute('aria-activedescendant')
      await page.locator(`[id="${active}"]`).waitFor()
      expect(await grid(page).getByRole('option').count()).toBeLessThan(CARDS_MAX)
      return (await option(page, 'Clip 0').count()) > 0
    }
    await expect.poll(isAtEnd).toBe(true)
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

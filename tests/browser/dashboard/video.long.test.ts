/** The page of a video in Chromium, with a real API, worker and player. */
import { opened } from '@reelkeep/testkit/vitest'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { joinWithPassword } from './dashboard-fixture.ts'
import { addLibrary, openLibraryFixture } from './library-data.ts'
import { memberCookies, PASSWORD } from './page-states.ts'

const FILM = 'Aurora over Tromsø'

const fixture = await opened(openLibraryFixture('dashboard_video'))
const { client, organizationId, origin } = fixture
const ids = await addLibrary(fixture, 1)
const film = ids.get(FILM) ?? ''
const editor = await memberCookies(fixture)

const urlOf = (id: string) => `${origin}/o/${organizationId}/videos/${id}`
const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true }).waitFor()
const focus = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).focus()
const position = (page: Page) => page.evaluate<number>("document.querySelector('reelkeep-player')?.currentTime ?? 0")

/** The page of a video as the editor sees it. */
async function openVideo(id = film, title = FILM) {
  const opened = await fixture.newPage({ storageState: editor })
  await opened.page.goto(urlOf(id))
  await heading(opened.page, title)
  return opened
}

const newAsset = async (title: string) =>
  (await client.uploadSessions.create({ title, resolutions: ['240p'] })).asset.id

describe('the video page', () => {
  it('plays the video with the player of this server', async () => {
    const { page, problems } = await openVideo()
    await page.locator('reelkeep-player').getByRole('button', { name: 'Play' }).first().press('Enter')
    await expect.poll(() => position(page)).toBeGreaterThan(1)
    expect(problems).toEqual([])
  })

  it('shows the player as soon as the uploaded file can be played, without a reload', async () => {
    const { asset, upload_session: session } = await client.uploadSessions.create({
      ...{ title: 'Live', resolutions: ['240p'] },
    })
    const { page, problems } = await openVideo(asset.id, 'Live')
    await page.getByText('Waiting for the file').first().waitFor()
    await client.uploads.resume(session.uuid, `${fixture.folder}/film-0.mp4`)
    await page.locator('reelkeep-player').getByRole('button', { name: 'Play' }).first().waitFor()
    await page.getByText('Ready', { exact: true }).waitFor()
    expect(problems).toEqual([])
  })

  it('says why a video failed', async () => {
    const { page } = await openVideo(ids.get('Corrupt capture') ?? '', 'Corrupt capture')
    await page.getByRole('heading', { name: 'Processing failed' }).waitFor()
    await page.getByText('The file is not a video. Choose another file.').waitFor()
  })

  it('protects a video from deletion with a legal hold', async () => {
    const id = await newAsset('On hold')
    const { page } = await openVideo(id, 'On hold')
    const hold = page.getByRole('checkbox', { name: /^Legal hold/ })
    await hold.press('Space')
    await expect.poll(async () => (await client.assets.read(id)).legal_hold).toBe(true)
    await page.getByRole('button', { name: 'Move to trash' }).waitFor({ state: 'detached' })
    await hold.press('Space')
    await expect.poll(async () => (await client.assets.read(id)).legal_hold).toBe(false)
  })

  it('says where a deleted video may be', async () => {
    const id = await newAsset('Deleted')
    await client.assets.delete(id)
    const { page } = await fixture.newPage({ storageState: editor })
    await page.goto(urlOf(id))
    await heading(page, 'This video does not exist')
    await page.getByRole('link', { name: 'Open the trash' }).click()
    await page.getByText('Deleted', { exact: true }).first().waitFor()
  })

  it('says that a video does not exist', async () => {
    const { page } = await fixture.newPage({ storageState: editor })
    await page.goto(urlOf('00000000-0000-7000-8000-000000000000'))
    await heading(page, 'This video does not exist')
  })
})

describe('editing by keyboard', () => {
  it('saves title and description, and returns the focus to the button', async () => {
    const id = await newAsset('Draft')
    const { page, problems } = await openVideo(id, 'Draft')
    await focus(page, 'Edit title')
    await page.keyboard.press('Enter')
    await page.keyboard.type('Final title')
    await page.keyboard.press('Enter')
    await heading(page, 'Final title')
    expect(await page.evaluate("document.activeElement.getAttribute('aria-label')")).toBe('Edit title')
    await focus(page, 'Edit description')
    await page.keyboard.press('Enter')
    await page.keyboard.type('Two\nlines')
    await page.keyboard.press('Control+Enter')
    await page.getByText('Two').waitFor()
    expect(await client.assets.read(id)).toMatchObject({ title: 'Final title', description: 'Two\nlines' })
    expect(problems).toEqual([])
  })

  it('keeps the old title after Escape', async () => {
    const id = await newAsset('Stays')
    const { page } = await openVideo(id, 'Stays')
    await focus(page, 'Edit title')
    await page.keyboard.press('Enter')
    await page.keyboard.type('Never saved')
    await page.keyboard.press('Escape')
    await heading(page, 'Stays')
    expect((await client.assets.read(id)).title).toBe('Stays')
  })

  it('adds a new tag, a suggested one, and removes a tag', async () => {
    const id = await newAsset('Tagged')
    const { page } = await openVideo(id, 'Tagged')
    await page.getByRole('combobox', { name: 'Add a tag' }).focus()
    await page.keyboard.type('brand new')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Remove tag brand new' }).waitFor()
    await page.keyboard.type('natu')
    await page.getByRole('option', { name: 'nature' }).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Remove tag nature' }).waitFor()
    await page.getByRole('button', { name: 'Remove tag brand new' }).press('Enter')
    await expect.poll(async () => (await client.assets.read(id)).tags).toEqual(['nature'])
  })

  it('adds, changes and removes metadata', async () => {
    const id = await newAsset('Metadata')
    const { page } = await openVideo(id, 'Metadata')
    await page.getByRole('button', { name: 'Add metadata' }).press('Enter')
    await page.keyboard.type('room')
    await page.keyboard.press('Tab')
    await page.keyboard.type('Main hall')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Edit room' }).press('Enter')
    await page.getByLabel('Value of room').fill('Small hall')
    await page.keyboard.press('Enter')
    await page.getByText('Small hall').waitFor()
    expect((await client.assets.read(id)).metadata).toEqual({ room: 'Small hall' })
    await page.getByRole('button', { name: 'Remove room' }).press('Enter')
    await expect.poll(async () => (await client.assets.read(id)).metadata).toEqual({})
  })

  it('moves the video into a folder found by search, and back with Undo', async () => {
    const id = await newAsset('Moving')
    const { page } = await openVideo(id, 'Moving')
    await focus(page, 'Move to…')
    await page.keyboard.press('Enter')
    await page.getByRole('combobox', { name: 'Folder' }).waitFor()
    await page.keyboard.type('Zür')
    await expect.poll(() => page.getByRole('option').allInnerTexts()).toEqual(['Zürich 2026'])
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').getByRole('button', { name: 'Move', exact: true }).press('Enter')
    await page.getByRole('link', { name: 'Concerts / Zürich 2026' }).waitFor()
    await page.getByRole('button', { name: 'Undo' }).press('Enter')
    await page.getByRole('link', { name: 'Top level (no folder)' }).waitFor()
    expect((await client.assets.read(id)).parent_id).toBeNull()
  })
})

describe('changes by two people', () => {
  async function startTitle(id: string, title: string) {
    const { page } = await openVideo(id, title)
    await page.getByRole('button', { name: 'Edit title' }).click()
    return page
  }

  it('shows the title that another person saved, and replaces it only after a confirmation', async () => {
    const id = await newAsset('Shared')
    const page = await startTitle(id, 'Shared')
    await client.assets.update(id, { title: 'Theirs' })
    await page.getByLabel('Title', { exact: true }).fill('Mine')
    await page.keyboard.press('Enter')
    await page.getByText('Someone else changed this while you were editing.').waitFor()
    await page.getByRole('paragraph').getByText('Theirs', { exact: true }).waitFor()
    expect((await client.assets.read(id)).title).toBe('Theirs')
    await page.getByRole('button', { name: 'Save my version' }).press('Enter')
    await heading(page, 'Mine')
    expect((await client.assets.read(id)).title).toBe('Mine')
  })

  it('can use the other title', async () => {
    const id = await newAsset('Shared too')
    const page = await startTitle(id, 'Shared too')
    await client.assets.update(id, { title: 'Theirs' })
    await page.keyboard.type('Mine')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Use this version' }).press('Enter')
    await heading(page, 'Theirs')
  })

  it('saves both if they changed different fields', async () => {
    const id = await newAsset('Both')
    const page = await startTitle(id, 'Both')
    await client.assets.update(id, { description: 'From elsewhere' })
    await page.keyboard.type('Both kept')
    await page.keyboard.press('Enter')
    await heading(page, 'Both kept')
    expect(await client.assets.read(id)).toMatchObject({ title: 'Both kept', description: 'From elsewhere' })
  })
})

describe('chapters and captions by keyboard', () => {
  it('adds, plays, changes and deletes a chapter, which the player shows without a reload', async () => {
    const { page, problems } = await openVideo()
    await page.locator('reelkeep-player').getByRole('button', { name: 'Play' }).first().waitFor()
    await page.getByRole('button', { name: 'Add chapter' }).press('Enter')
    await page.keyboard.type('Northern sky')
    await page.getByLabel('Start', { exact: true }).fill('0:03')
    await page.keyboard.press('Enter')
    const jump = page.getByRole('button', { name: 'Play from 0:03: Northern sky' })
    await jump.waitFor()
    await expect
      .poll(() => page.evaluate("document.querySelector('reelkeep-player').chapters.map(({ title }) => title)"))
      .toEqual(['Northern sky'])
    await jump.press('Enter')
    await expect.poll(() => position(page)).toBeGreaterThan(3)
    await page.getByRole('button', { name: 'Edit chapter Northern sky' }).press('Enter')
    await page.keyboard.type('Green sky')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Delete chapter Green sky' }).press('Enter')
    await page.getByText('No chapters yet.').waitFor()
    expect((await client.chapters.list(film)).results).toEqual([])
    expect(problems).toEqual([])
  })

  it('imports and exports chapters', async () => {
    const { page } = await openVideo()
    await page.getByRole('button', { name: 'Import chapters' }).press('Enter')
    await page.getByLabel('One chapter per line').fill('0:00 Start\n0:05 Middle')
    await page.getByRole('button', { name: 'Import', exact: true }).press('Enter')
    await page.getByRole('button', { name: 'Play from 0:05: Middle' }).waitFor()
    const saved = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export chapters' }).press('Enter')
    expect((await saved).suggestedFilename()).toBe(`${FILM}.chapters.vtt`)
  })

  it('adds and deletes captions', async () => {
    const { page } = await openVideo()
    await page.getByRole('tab', { name: 'Captions' }).press('Enter')
    await page.getByRole('button', { name: 'Add captions' }).press('Enter')
    const text = 'WEBVTT\n\n00:00.000 --> 00:02.000\nHello\n'
    await page
      .getByLabel('File (WebVTT or SRT)')
      .setInputFiles({ name: 'hello.vtt', mimeType: 'text/vtt', buffer: Buffer.from(text) })
    await page.getByLabel('Name (optional)').fill('English for all')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Delete English for all' }).press('Enter')
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete captions' }).press('Enter')
    await page.getByText('This video has no captions.').waitFor()
  })
})

describe('sharing', () => {
  async function createLink(page: Page, options: (dialog: ReturnType<Page['getByRole']>) => Promise<void>) {
    await page.keyboard.press('s')
    const dialog = page.getByRole('dialog')
    await options(dialog)
    await dialog.getByRole('button', { name: 'Create link' }).press('Enter')
    await dialog.getByText('The link is ready').waitFor()
    return dialog
  }

  /** Opens a link in a browser without a session. */
  async function watch(link: string) {
    const { page } = await fixture.newPage()
    await page.goto(link)
    return page
  }

  it('creates a link that plays in another browser until it is revoked', async () => {
    const { page, problems } = await openVideo()
    const dialog = await createLink(page, (form) => form.getByLabel('Viewer (optional)').fill('customer-42'))
    const link = await dialog.getByLabel('Link', { exact: true }).inputValue()
    const viewer = await watch(link)
    await viewer.locator('reelkeep-player').getByRole('button', { name: 'Play' }).first().press('Enter')
    await expect.poll(() => position(viewer)).toBeGreaterThan(1)
    await dialog.getByRole('button', { name: 'Revoke the link for customer-42' }).press('Enter')
    await page.getByText('The link no longer works.').waitFor()
    const late = await watch(link)
    const state = "document.querySelector('reelkeep-player').shadowRoot.querySelector('[data-state]').dataset.state"
    await expect.poll(() => late.evaluate<string>(state)).toBe('fault')
    expect((await client.accessTokens.list(film)).results[0]?.revoked_at).not.toBeNull()
    expect(problems).toEqual([])
  })

  it('copies the link and the embed codes, and offers only codes for pages if sites are given', async () => {
    const { page } = await openVideo()
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    const dialog = await createLink(page, async () => undefined)
    const copied = () => page.evaluate<string>('navigator.clipboard.readText()')
    await dialog.getByRole('button', { name: 'Copy link' }).press('Enter')
    await expect.poll(copied).toBe(await dialog.getByLabel('Link', { exact: true }).inputValue())
    for (const [name, start] of [
      ['iframe', '<iframe src='],
      ['Web component', '<script type="module"'],
      ['React', 'export const Video'],
    ] as const) {
      await dialog.getByRole('button', { name, exact: true }).press('Enter')
      await dialog.getByRole('button', { name: `Copy code: ${name}` }).press('Enter')
      await expect.poll(copied).toContain(start)
    }
    await dialog.getByRole('button', { name: 'Create another link' }).press('Enter')
    await dialog.getByLabel('Allowed sites (optional)').fill('https://www.example.com/page')
    await page.keyboard.press('Enter')
    await dialog.getByText('Use the web component or React on these sites.').waitFor()
    expect(await dialog.getByLabel('Link', { exact: true }).count()).toBe(0)
    expect((await client.accessTokens.list(film)).results[0]?.referrers).toEqual(['www.example.com'])
  })
})

describe('the whole video', () => {
  it('is moved to the trash and restored with Undo', async () => {
    const id = await newAsset('Trashed')
    const { page } = await openVideo(id, 'Trashed')
    await page.getByRole('button', { name: 'Move to trash' }).press('Enter')
    await page.waitForURL(/\/library/)
    await page.getByRole('button', { name: 'Undo' }).press('Enter')
    await page.getByText('Restored.').waitFor()
    expect((await client.assets.read(id)).deleted_at).toBeNull()
  })

  it('uses the current frame as the cover, and resets it to the automatic one', async () => {
    const { page } = await openVideo()
    await page.getByRole('button', { name: 'Use current frame' }).press('Enter')
    await page.getByRole('button', { name: 'Reset' }).press('Enter')
    await expect.poll(async () => (await client.covers.read(film)).is_custom).toBe(false)
  })

  it('shows the qualities with their reasons, and downloads an MP4', async () => {
    const { page } = await openVideo()
    await page.getByRole('tab', { name: 'Files' }).press('Enter')
    await page.getByRole('list', { name: 'Qualities' }).getByText('240p', { exact: true }).waitFor()
    const saved = page.waitForEvent('download')
    await page.getByRole('button', { name: 'MP4 240p' }).press('Enter')
    expect((await saved).suggestedFilename()).toMatch(/\.mp4$/)
  })
})

it('offers a viewer the video and nothing to change it', async () => {
  const { page, problems } = await fixture.newPage()
  await joinWithPassword(page, await fixture.invite('viewer@example.org', { role: 'viewer' }), 'Vera', PASSWORD)
  await page.goto(urlOf(film))
  await heading(page, FILM)
  await page.locator('reelkeep-player').getByRole('button', { name: 'Play' }).first().waitFor()
  await page.getByRole('tab', { name: 'Files' }).click()
  await page.getByRole('button', { name: 'MP4 240p' }).waitFor()
  // The player keeps its buttons in a shadow tree, which this selector does not enter.
  const names = await page.evaluate<string[]>(
    "[...document.querySelectorAll('main button, main input')].map(({ textContent }) => textContent)",
  )
  // Those of "Do this with the API".
  expect(names.filter((name) => !name.startsWith('MP4'))).toEqual(['curl', 'TypeScript', 'Copy'])
  expect(problems).toEqual([])
})

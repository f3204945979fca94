/** Uploads in the dashboard, with real files, storage and API. */
import { respond } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { slowDown } from '../upload-fixture.ts'
import { chooseInUserMenu, joinWithPassword } from './dashboard-fixture.ts'
import { PASSWORD } from './page-states.ts'
import { dropFiles, openUploadsFixture, rowOf } from './uploads-fixture.ts'

const MEBIBYTE = 1024 ** 2
const UPLOADED = 'Uploaded, waiting for processing'

const fixture = await opened(openUploadsFixture('dashboard_uploads'))

const uploaded = (page: Page, name: string) => rowOf(page, name).getByText(UPLOADED).waitFor()
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
const titles = async (query: string) => (await fixture.assets(query)).map(({ title }) => title).toSorted()

describe('files that are dropped on a page', () => {
  it('are uploaded, with progress, speed and time left', async () => {
    const page = await fixture.openPage()
    const { path } = fixture.newFile('dropped film.mp4', 24 * MEBIBYTE)
    const speedUp = await slowDown(page, 2 * MEBIBYTE)
    await dropFiles(page, path)
    await rowOf(page, 'dropped film.mp4')
      .getByText(/MB of 25 MB · .* MB\/s · \d+ seconds? left/)
      .waitFor()
    const bar = page.getByRole('progressbar', { name: 'Upload of dropped film.mp4' })
    expect(Number(await bar.getAttribute('aria-valuenow'))).toBeGreaterThan(0)
    await speedUp()
    await uploaded(page, 'dropped film.mp4')
    expect(await titles('q=dropped')).toEqual(['dropped film'])
    await page.context().close()
  })

  it('recreate their folders in the library', async () => {
    const page = await fixture.openPage()
    fixture.newFile('Semester/intro.mp4', 1000)
    fixture.newFile('Semester/Week 1/lecture.mp4', 1001)
    fixture.newFile('Semester/notes.txt', 1002)
    await dropFiles(page, fixture.pathOf('Semester'))
    await page.getByText('1 file was skipped: it is not a video.').waitFor()
    await uploaded(page, 'intro.mp4')
    await uploaded(page, 'lecture.mp4')
    const { body } = await fixture.caller.get<{ results: { title: string; uuid: string }[] }>('assets/folders/tree/')
    expect(body.results.map(({ title }) => title)).toEqual(['Semester', 'Week 1'])
    expect(await titles(`folder=${body.results[1]?.uuid}`)).toEqual(['lecture'])
    await page.context().close()
  })

  it('are uploaded again only if the user confirms it', async () => {
    const page = await fixture.openPage()
    const { path } = fixture.newFile('twice.mp4', 5000)
    await dropFiles(page, path)
    await uploaded(page, 'twice.mp4')
    await dropFiles(page, path)
    const dialog = page.getByRole('dialog', { name: 'Upload again?' })
    await dialog.getByText('twice.mp4').waitFor()
    await dialog.getByRole('button', { name: 'Do not upload' }).click()
    await dropFiles(page, path)
    await dialog.getByRole('button', { name: 'Upload again' }).click()
    await expect.poll(() => titles('q=twice')).toEqual(['twice', 'twice'])
    await page.context().close()
  })
})

describe('an upload', () => {
  it('can be paused, resumed, cancelled and started again', async () => {
    const page = await fixture.openPage('uploads')
    const { path } = fixture.newFile('controlled.mp4', 20 * MEBIBYTE)
    const speedUp = await slowDown(page, MEBIBYTE)
    await dropFiles(page, path)
    await press(page, 'Pause controlled.mp4')
    await rowOf(page, 'controlled.mp4')
      .getByText(/^Paused/)
      .waitFor()
    await press(page, 'Resume controlled.mp4')
    await press(page, 'Cancel controlled.mp4')
    await rowOf(page, 'controlled.mp4').getByText('Cancelled').waitFor()
    await speedUp()
    await press(page, 'Retry controlled.mp4')
    await uploaded(page, 'controlled.mp4')
    expect(await titles('q=controlled')).toEqual(['controlled'])
    await page.context().close()
  })

  it('continues in the same session after its tab was closed, when the file is chosen again', async () => {
    const first = await fixture.openPage('uploads')
    const { path } = fixture.newFile('reloaded.mp4', 40 * MEBIBYTE)
    await slowDown(first, 4 * MEBIBYTE)
    await dropFiles(first, path)
    await rowOf(first, 'reloaded.mp4')
      .getByText(/^(1[7-9]|2\d) MB of/)
      .waitFor()
    const page = await first.context().newPage()
    const url = first.url()
    await first.close()
    await page.goto(url)
    const input = page.getByLabel('Files of interrupted uploads')
    await input.waitFor({ state: 'attached' })
    const other = fixture.newFile('other.mp4', 40 * MEBIBYTE)
    await input.setInputFiles(other.path)
    await page.getByText('Some of the files do not belong to an interrupted upload.').waitFor()
    fixture.storageProxy.requests = []
    await input.setInputFiles(path)
    await uploaded(page, 'reloaded.mp4')
    const parts = fixture.storageProxy.requests.filter(({ method }) => method === 'PUT')
    expect(parts.length).toBeLessThan(3)
    expect(await titles('q=reloaded')).toEqual(['reloaded'])
    await page.context().close()
  })

  it('continues automatically after a reload if the page may still read the file', async () => {
    const page = await fixture.openPage('uploads', { hasPickers: true })
    // Files of the page itself need no permission; the picker of the browser cannot be used without a window.
    const usePrivateFile = `window.showOpenFilePicker = async () => {
      const folder = await navigator.storage.getDirectory()
      const handle = await folder.getFileHandle('private.mp4', { create: true })
      const file = await handle.createWritable()
      await file.write(new Uint8Array(20 * 1024 ** 2).map((_, index) => index % 251))
      await file.close()
      return [handle]
    }`
    await page.evaluate(usePrivateFile)
    const speedUp = await slowDown(page, MEBIBYTE)
    await press(page, 'Upload')
    await press(page, 'Choose files')
    await press(page, 'Upload 1 file')
    await rowOf(page, 'private.mp4').getByText(/MB\/s/).waitFor()
    await page.reload()
    await speedUp()
    await uploaded(page, 'private.mp4')
    expect(await titles('q=private')).toEqual(['private'])
    await page.context().close()
  })

  it('continues automatically when the connection is back', async () => {
    const page = await fixture.openPage('uploads')
    const { path } = fixture.newFile('cut off.mp4', 20 * MEBIBYTE)
    await slowDown(page, 2 * MEBIBYTE)
    await dropFiles(page, path)
    await rowOf(page, 'cut off.mp4').getByText(/MB\/s/).waitFor()
    fixture.storageProxy.disable()
    fixture.storageProxy.enable()
    await uploaded(page, 'cut off.mp4')
    expect(await titles('q=cut off')).toEqual(['cut off'])
    await page.context().close()
  })

  it.each([
    ['cannot be reached', /^Waiting for the connection\./, () => fixture.storageProxy.disable()],
    [
      'is temporarily unavailable',
      /^The service is temporarily unavailable\./,
      () => {
        // Browsers show the status only to origins that storage allows.
        const answer = respond(503, '', { 'access-control-allow-origin': fixture.origin })
        fixture.storageProxy.rules = [{ match: ({ method }) => method !== 'OPTIONS', action: answer }]
        fixture.storageProxy.resetConnections()
      },
    ],
  ])('says that the storage %s, and continues automatically when it is back', async (reason, text, interrupt) => {
    const page = await fixture.openPage('uploads')
    const name = `storage ${reason}.mp4`
    const { path } = fixture.newFile(name, 20 * MEBIBYTE)
    const speedUp = await slowDown(page, 2 * MEBIBYTE)
    await dropFiles(page, path)
    await rowOf(page, name).getByText(/MB\/s/).waitFor()
    interrupt()
    try {
      await speedUp()
      await rowOf(page, name).getByText(text).waitFor()
    } finally {
      fixture.storageProxy.reset()
    }
    await uploaded(page, name)
    expect(await titles(`q=storage ${reason}`)).toEqual([`storage ${reason}`])
    await page.context().close()
  })

  it('is made and cancelled with the keyboard only, and remembers the options', async () => {
    const page = await fixture.openPage()
    const { path } = fixture.newFile('by keyboard.mp4', 20 * MEBIBYTE)
    await slowDown(page, MEBIBYTE)
    await page.keyboard.press('u')
    const dialog = page.getByRole('dialog', { name: 'Upload videos' })
    await dialog.getByRole('button', { name: 'Choose files' }).focus()
    const choosing = page.waitForEvent('filechooser')
    await page.keyboard.press('Enter')
    await (await choosing).setFiles(path)
    await dialog.getByText('by keyboard.mp4').waitFor()
    await dialog.getByLabel('1080p').focus()
    await page.keyboard.press('Space')
    await dialog.getByRole('button', { name: 'Upload 1 file' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Cancel by keyboard.mp4' }).focus()
    await page.keyboard.press('Enter')
    await rowOf(page, 'by keyboard.mp4').getByText('Cancelled').waitFor()
    await page.keyboard.press('u')
    expect(await dialog.getByLabel('1080p').isChecked()).toBe(false)
    expect(await dialog.getByLabel('720p').isChecked()).toBe(true)
    await page.context().close()
  })
})

describe('the first upload of a member', () => {
  it('uses the defaults of the organization, which editors may not read', async () => {
    const defaults = { default_resolutions: ['240p', '480p'], default_content_protection_type: 'aes' }
    await fixture.caller.patch('organization/', defaults)
    const { page } = await fixture.newPage()
    await joinWithPassword(page, await fixture.invite('editor@example.org'), 'Editor', PASSWORD)
    await page.getByRole('button', { name: 'Upload', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Upload videos' })
    await dialog.getByLabel('480p').waitFor()
    for (const resolution of ['240p', '480p']) expect(await dialog.getByLabel(resolution).isChecked()).toBe(true)
    for (const resolution of ['360p', '720p']) expect(await dialog.getByLabel(resolution).isChecked()).toBe(false)
    await page.keyboard.press('Escape')
    await dropFiles(page, fixture.newFile('with defaults.mp4', 1000).path)
    await uploaded(page, 'with defaults.mp4')
    const [asset] = await fixture.assets('q=with defaults')
    expect(asset?.video.resolutions).toEqual(['240p', '480p'])
    expect(asset?.video.content_protection_type).toBe('aes')
    await fixture.caller.patch('organization/', {
      default_resolutions: null,
      default_content_protection_type: 'disable',
    })
    await page.context().close()
  })
})

describe('a second tab', () => {
  it('shows the uploads of the first and continues them when it is closed', async () => {
    const page = await fixture.openPage('uploads')
    const { path } = fixture.newFile('two tabs.mp4', 20 * MEBIBYTE)
    await slowDown(page, MEBIBYTE)
    const second = await page.context().newPage()
    await second.goto(page.url())
    await second.getByRole('heading', { name: 'No uploads' }).waitFor()
    await dropFiles(second, path)
    await rowOf(page, 'two tabs.mp4').getByText(/MB\/s/).waitFor()
    await rowOf(second, 'two tabs.mp4').getByText(/MB\/s/).waitFor()
    await page.close()
    await uploaded(second, 'two tabs.mp4')
    expect(await titles('q=two tabs')).toEqual(['two tabs'])
    await second.context().close()
  })
})

describe('on a shared computer', () => {
  it('the uploads of a member are hidden from the next one, and kept for the member', async () => {
    const { page } = await fixture.newPage()
    const uploadsUrl = `${fixture.origin}/o/${fixture.organizationId}/uploads`
    await joinWithPassword(page, await fixture.invite('first@example.org'), 'First', PASSWORD)
    await page.goto(uploadsUrl)
    const speedUp = await slowDown(page, MEBIBYTE)
    await page.getByRole('heading', { name: 'No uploads' }).waitFor()
    await dropFiles(page, fixture.newFile('confidential.mp4', 40 * MEBIBYTE).path)
    await rowOf(page, 'confidential.mp4').getByText(/MB\/s/).waitFor()
    await chooseInUserMenu(page, 'Sign out')
    await page.getByRole('heading', { name: 'Sign in to Reelkeep' }).waitFor()
    await speedUp()

    await joinWithPassword(page, await fixture.invite('next@example.org'), 'Next', PASSWORD)
    await page.goto(uploadsUrl)
    await page.getByRole('heading', { name: 'No uploads' }).waitFor()
    await chooseInUserMenu(page, 'Sign out')

    await page.getByLabel('Email').fill('first@example.org')
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in with password', exact: true }).click()
    await page.getByRole('button', { name: /^Your account/ }).waitFor()
    await page.goto(uploadsUrl)
    await rowOf(page, 'confidential.mp4').waitFor()
    await page.context().close()
  })
})

it('a viewer is offered no uploads', async () => {
  const { page } = await fixture.newPage()
  await joinWithPassword(page, await fixture.invite('viewer@example.org', { role: 'viewer' }), 'Viewer', PASSWORD)
  await page.getByRole('button', { name: /^Your account/ }).waitFor()
  expect(await page.getByRole('button', { name: 'Upload', exact: true }).count()).toBe(0)
  expect(await page.getByRole('link', { name: 'Uploads' }).count()).toBe(0)
  await page.context().close()
})

/** `examples/upload.html` with several files. */
import type { assets } from '@reelkeep/contract'
import { opened } from '@reelkeep/testkit/vitest'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { accessibilityViolations } from './accessibility.ts'
import { openUploadFixture, press, slowDown, waitForText } from './upload-fixture.ts'

const MEBIBYTE = 1024 ** 2

const fixture = await opened(openUploadFixture())

const fileStates = (page: Page) => page.getByRole('list', { name: 'Files' }).locator('.file-state').allInnerTexts()
const expectStates = (page: Page, states: readonly string[]) => expect.poll(() => fileStates(page)).toEqual(states)
const newFiles = (...names: string[]) => names.map((name) => fixture.newFile(name, 12 * MEBIBYTE))
const chooseFiles = (page: Page, files: readonly { path: string }[]) =>
  page.getByLabel('Video file').setInputFiles(files.map(({ path }) => path))

/** Titles of the assets whose title contains the text. */
async function titlesOf(text: string): Promise<string[]> {
  const { body } = await fixture.caller.get<{ results: assets.Asset[] }>(`assets/?q=${text}`)
  return body.results.map(({ title }) => title).toSorted()
}

describe('an upload of several files', () => {
  it('sends all dropped files and titles each video after its file', async () => {
    const page = await fixture.newPage()
    await page.evaluate(`{
      const dataTransfer = new DataTransfer()
      for (const name of ['dropped 1.mp4', 'dropped 2.mov']) dataTransfer.items.add(new File(['video ' + name], name))
      document.getElementById('drop').dispatchEvent(new DragEvent('drop', { dataTransfer, cancelable: true }))
    }`)
    expect(await page.getByLabel('Title').isDisabled()).toBe(true)
    await press(page, 'Upload')
    await expectStates(page, ['Uploaded', 'Uploaded'])
    await page.getByRole('heading', { name: 'Upload complete' }).waitFor()
    expect(await page.getByRole('button', { name: 'Upload', exact: true }).isVisible()).toBe(true)
    expect(await accessibilityViolations(page)).toEqual([])
    expect(await titlesOf('dropped')).toEqual(['dropped 1', 'dropped 2'])

    const opening = page.context().waitForEvent('page')
    await page.getByRole('link', { name: 'dropped 1.mp4' }).click()
    await (await opening).getByRole('heading', { name: 'dropped 1' }).waitFor()
  })

  it('shows the progress of each file and stores both unchanged', async () => {
    const page = await fixture.newPage()
    const files = newFiles('first.mp4', 'second.mp4')
    await chooseFiles(page, files)
    const speedUp = await slowDown(page, MEBIBYTE)
    await press(page, 'Upload')
    await expectStates(page, [expect.stringMatching(/^[1-9]\d? %$/), 'Waiting'])
    const first = await fixture.readSession(page)
    await speedUp()
    await expectStates(page, ['Uploaded', 'Uploaded'])
    const second = await fixture.readSession(page)
    expect(await Promise.all([first, second].map(fixture.storedDigest))).toEqual(files.map(({ digest }) => digest))
  })

  it('continues with the remaining files after an error', async () => {
    const page = await fixture.newPage()
    await chooseFiles(page, newFiles('kept 1.mp4', 'kept 2.mp4', 'kept 3.mp4'))
    await page.route('**/assets/upload-sessions/', async (route) => {
      const isSecond = route.request().postData()?.includes('kept 2')
      const problem = { title: 'Conflict', detail: 'Not now.', code: 'conflict', errors: [], request_id: 'none' }
      await (isSecond ? route.fulfill({ status: 409, json: problem }) : route.continue())
    })
    await press(page, 'Upload')
    await page.getByRole('alert').getByText('Not now.').waitFor()
    await page.getByRole('heading', { name: 'Upload interrupted' }).waitFor()
    expect(await fileStates(page)).toEqual(['Uploaded', 'Waiting', 'Waiting'])
    await page.unroute('**/assets/upload-sessions/')
    await press(page, 'Upload remaining files')
    await expectStates(page, ['Uploaded', 'Uploaded', 'Uploaded'])
    expect(await titlesOf('kept')).toEqual(['kept 1', 'kept 2', 'kept 3'])
  })

  it('continues with the next file after a retry', async () => {
    const page = await fixture.newPage()
    await chooseFiles(page, newFiles('retried 1.mp4', 'retried 2.mp4'))
    const speedUp = await slowDown(page, MEBIBYTE)
    await press(page, 'Upload')
    await waitForText(page, /\([1-9]\d? %\)/)
    fixture.storageProxy.disable()
    await page.getByRole('heading', { name: 'The upload was interrupted' }).waitFor()
    expect(await fileStates(page)).toEqual(['Interrupted', 'Waiting'])
    fixture.storageProxy.enable()
    await speedUp()
    await press(page, 'Try again')
    await expectStates(page, ['Uploaded', 'Uploaded'])
    expect(await titlesOf('retried')).toEqual(['retried 1', 'retried 2'])
  })

  it('can be cancelled for one file or for all', async () => {
    const page = await fixture.newPage()
    await chooseFiles(page, newFiles('stop 1.mp4', 'stop 2.mp4', 'stop 3.mp4'))
    await slowDown(page, MEBIBYTE)
    await press(page, 'Upload')
    await waitForText(page, /\([1-9]\d? %\)/)
    await press(page, 'Cancel this file')
    await expectStates(page, ['Cancelled', expect.stringMatching(/^[1-9]\d? %$/), 'Waiting'])
    await press(page, 'Cancel all')
    await expectStates(page, ['Cancelled', 'Cancelled', 'Cancelled'])
    await page.getByRole('heading', { name: 'Upload cancelled' }).waitFor()
    expect(await titlesOf('stop')).toEqual(['stop 1', 'stop 2'])
  })
})

/** The states of uploads. No file is sent: requests that create sessions are refused or get no response. */
import type { Page } from 'playwright-core'
import type { LibraryFixture } from '../library-data.ts'
import { prepareLibrary } from './library-content.ts'
import { press, problem, type States, signedIn } from './state.ts'

async function openUploads(page: Page, fixture: LibraryFixture, path = 'uploads'): Promise<void> {
  const { origin, organizationId } = fixture
  await prepareLibrary(fixture)
  await page.route('**/assets/upload-sessions/', async (route) => {
    if (route.request().postData()?.includes('Rehearsal')) await route.fulfill(problem(409, 'quota_exceeded'))
  })
  await page.goto(`${origin}/o/${organizationId}/${path}`)
  await page.getByRole('heading', { level: 1 }).waitFor()
}

const names = ['Opening night.mp4', 'Interview with the conductor.mov', 'Rehearsal, second act.mp4', 'Encore.mp4']

/** Drops generated files. */
const drop = (page: Page) =>
  page.evaluate(`{
    const dataTransfer = new DataTransfer()
    for (const [index, name] of ${JSON.stringify(names)}.entries())
      dataTransfer.items.add(new File(['x'.repeat(1000000 * (index + 3))], name, { type: 'video/mp4', lastModified: 1 }))
    document.body.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }))
  }`)

const dropped = async (page: Page) => {
  await drop(page)
  await page.getByRole('button', { name: 'Retry Rehearsal, second act.mp4' }).waitFor()
}

const state = (then: (page: Page) => Promise<unknown> = async () => {}, path?: string) =>
  signedIn(async (page, fixture) => {
    await openUploads(page, fixture, path)
    await then(page)
  })

/** The page while files are dragged over it. */
const dragOver = (page: Page) =>
  page.evaluate(`{
    const dataTransfer = new DataTransfer()
    dataTransfer.items.add(new File(['x'], 'Encore.mp4', { type: 'video/mp4' }))
    document.body.dispatchEvent(new DragEvent('dragenter', { dataTransfer, bubbles: true, cancelable: true }))
  }`)

export const uploadStates: States = {
  'uploads-empty': state(),
  uploads: state(dropped),
  'uploads-paused': state(async (page) => {
    await dropped(page)
    await press(page, 'Pause all')
    await page.getByRole('button', { name: 'Resume all' }).waitFor()
  }),
  'uploads-cancel': state(async (page) => {
    await dropped(page)
    await press(page, 'Cancel all')
    await page.getByRole('alertdialog').waitFor()
  }),
  'uploads-interrupted': state(async (page) => {
    await dropped(page)
    await page.reload()
    await page.getByRole('button', { name: 'Choose the files again' }).waitFor()
  }),
  'uploads-dock': state(dropped, 'library'),
  'uploads-dock-closed': state(async (page) => {
    await dropped(page)
    await press(page, 'Collapse uploads')
  }, 'library'),
  'uploads-drop': state(async (page) => {
    await dragOver(page)
    await page.getByText('Drop videos or folders to upload them').waitFor()
  }, 'library'),
  'uploads-duplicates': state(async (page) => {
    await dropped(page)
    await drop(page)
    await page.getByRole('dialog', { name: 'Upload again?' }).waitFor()
  }),
  'upload-dialog': state(async (page) => {
    await page.keyboard.press('u')
    await page.getByRole('dialog', { name: 'Upload videos' }).waitFor()
  }),
}

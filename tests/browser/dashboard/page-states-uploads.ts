/** The states of uploads. No file is sent: requests that create sessions are refused or get no response. */
import type { Page } from 'playwright-core'
import type { DashboardFixture } from './dashboard-fixture.ts'

async function openUploads(page: Page, { origin, caller }: DashboardFixture, path = 'uploads'): Promise<void> {
  await page.route('**/assets/upload-sessions/', async (route) => {
    const problem = { title: 'Conflict', detail: '', code: 'quota_exceeded', errors: [], request_id: 'none' }
    if (route.request().postData()?.includes('Rehearsal')) await route.fulfill({ status: 409, json: problem })
  })
  await page.goto(`${origin}/o/${caller.organizationId}/${path}`)
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

type State = { readonly open: (page: Page, fixture: DashboardFixture) => Promise<void>; readonly isSignedIn: true }

export const uploadStates: Readonly<Record<string, State>> = {
  'uploads-empty': { isSignedIn: true, open: (page, fixture) => openUploads(page, fixture) },
  uploads: {
    isSignedIn: true,
    open: async (page, fixture) => {
      await openUploads(page, fixture)
      await dropped(page)
    },
  },
  'uploads-interrupted': {
    isSignedIn: true,
    open: async (page, fixture) => {
      await openUploads(page, fixture)
      await dropped(page)
      await page.reload()
      await page.getByRole('button', { name: 'Choose the files again' }).waitFor()
    },
  },
  'uploads-dock': {
    isSignedIn: true,
    open: async (page, fixture) => {
      await openUploads(page, fixture, 'library')
      await dropped(page)
    },
  },
  'uploads-duplicates': {
    isSignedIn: true,
    open: async (page, fixture) => {
      await openUploads(page, fixture)
      await dropped(page)
      await drop(page)
      await page.getByRole('dialog', { name: 'Upload again?' }).waitFor()
    },
  },
  'upload-dialog': {
    isSignedIn: true,
    open: async (page, fixture) => {
      await openUploads(page, fixture)
      await page.keyboard.press('u')
      await page.getByRole('dialog', { name: 'Upload videos' }).waitFor()
    },
  },
}

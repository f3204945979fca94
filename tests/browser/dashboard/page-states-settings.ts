/** The states of the settings that tests check and of which screenshots are taken. */
import type { Page } from 'playwright-core'
import type { DashboardFixture } from './dashboard-fixture.ts'

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()

const prepared = new WeakMap<DashboardFixture, Promise<void>>()

/** Fills the lists of the settings, once for each fixture. */
export function prepareSettings(fixture: DashboardFixture): Promise<void> {
  const running = prepared.get(fixture) ?? fill(fixture)
  prepared.set(fixture, running)
  return running
}

async function fill(fixture: DashboardFixture): Promise<void> {
  const { caller } = fixture
  const { body: folder } = await caller.post<{ uuid: string }>('assets/folders/', { title: 'Open air 2026' })
  await fixture.invite('noor@example.org', { role: 'manager' })
  await fixture.invite('lin@example.org', { role: 'uploader', folder_uuid: folder.uuid })
  const scopes = ['assets:read', 'playback:read', 'folders:read']
  await caller.post('tokens/', { name: 'Website', scopes, expires_at: '2030-01-01T00:00:00Z' })
  const { body: old } = await caller.post<{ id: string }>('tokens/', { name: 'Old importer', scopes: ['assets:write'] })
  await caller.delete(`tokens/${old.id}/`)
  await caller.post('tokens/', { name: 'Concert recorder', scopes: ['uploads:write'], folder_uuid: folder.uuid })
}

/** Opens a section and waits until its list is there. */
async function openSection(page: Page, fixture: DashboardFixture, path: string, title: string) {
  await prepareSettings(fixture)
  const { origin, organizationId } = fixture
  await page.goto(`${origin}/o/${organizationId}/settings/${path}`)
  await page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor()
  await page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' })
}

const section = (path: string, title: string, then: (page: Page) => Promise<unknown> = async () => {}) => ({
  isSignedIn: true as const,
  open: async (page: Page, fixture: DashboardFixture) => {
    await openSection(page, fixture, path, title)
    await then(page)
  },
})

export const settingsStates = {
  'settings-members': section('members', 'Members'),
  'settings-invite': section('members', 'Members', async (page) => {
    await press(page, 'Invite a member')
    await page.getByRole('dialog').getByLabel('Email address').waitFor()
  }),
  'settings-member-menu': section('members', 'Members', async (page) => {
    await page
      .getByRole('button', { name: /^Actions for / })
      .first()
      .click()
    await page.getByRole('menuitem').first().waitFor()
  }),
  'settings-tokens': section('tokens', 'API tokens'),
  'settings-new-token': section('tokens', 'API tokens', async (page) => {
    await press(page, 'Create a token')
    await page.getByRole('dialog').getByLabel('Name').waitFor()
  }),
  'settings-api-example': section('tokens', 'API tokens', async (page) => {
    await page.getByText('The same by API').click()
    await page.getByText('curl --fail-with-body').first().waitFor()
  }),
}

/** The states of the settings that tests check and of which screenshots are taken. */
import type { Page } from 'playwright-core'
import type { DashboardFixture } from './dashboard-fixture.ts'

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()

const prepared = new WeakMap<DashboardFixture, Promise<void>>()

/** Fills the lists of the settings, once for each fixture. */
function prepareSettings(fixture: DashboardFixture): Promise<void> {
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
  await caller.post('roles/', {
    name: 'Subtitler',
    description: 'Adds subtitles.',
    scopes: ['assets:read', 'assets:write'],
  })
  await caller.post('signing-keys/', { name: 'Website' })
  const webhook = { url: 'https://receiver.example/reelkeep', types: ['asset.*'], description: 'Catalog' }
  const { body: created } = await caller.post<{ id: string }>('webhooks/', webhook)
  await caller.post(`webhooks/${created.id}/test/`)
  await caller.withToken('rlk_unknown').get('assets/')
}

const DAYS = 30
const GIGABYTE = 1e9

/** Usage of an organization that has been used for a while. */
function sampleUsage() {
  const results = Array.from({ length: DAYS }, (_, day) => {
    const viewers = 40 + day * 3 + 25 * Math.sin(day)
    const [sources, renditions] = [(120 + day * 2.4) * GIGABYTE, (64 + day * 1.3) * GIGABYTE]
    return {
      period: new Date(Date.UTC(2026, 9, 20 + day)).toISOString().slice(0, 10),
      ...{ stored_bytes: sources + renditions, source_bytes: sources, rendition_bytes: renditions, assets: 800 + day },
      ...{ encoded_minutes: Math.round(viewers / 3), delivered_minutes: Math.round(viewers * 11) },
      ...{ delivered_bytes: Math.round(viewers * 0.4 * GIGABYTE), api_requests: Math.round(viewers * 90) },
    }
  })
  const quotas = {
    stored_bytes: { limit: 500 * GIGABYTE, used: 291.3 * GIGABYTE },
    assets: { limit: 1000, used: 829 },
    encoded_minutes: { limit: null, used: 412.5 },
    open_sessions: { limit: 10_000, used: 3 },
  }
  return { from: results[0]?.period, to: results.at(-1)?.period, quotas, results }
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
  'settings-roles': section('roles', 'Roles', async (page) => {
    await page.getByText('What it permits').nth(2).click()
  }),
  'settings-new-role': section('roles', 'Roles', async (page) => {
    await press(page, 'Create a role')
    await page.getByRole('dialog').getByLabel('Name').waitFor()
  }),
  'settings-organization': section('organization', 'Organization'),
  'settings-usage': {
    isSignedIn: true as const,
    open: async (page: Page, fixture: DashboardFixture) => {
      await page.route('**/usage/?*', (route) => route.fulfill({ json: sampleUsage() }))
      await openSection(page, fixture, 'usage', 'Usage')
      await page.getByText('Show as a table').first().click()
    },
  },
  'settings-audit': section('audit', 'Audit log', (page) => page.getByText('Last entry', { exact: true }).waitFor()),
  'settings-audit-entry': section('audit', 'Audit log', async (page) => {
    await page
      .getByRole('button', { name: /^Details of entry/ })
      .first()
      .click()
    await page.getByRole('dialog').waitFor()
  }),
  'settings-signing-keys': section('signing-keys', 'Signing keys'),
  'settings-webhooks': section('webhooks', 'Webhooks'),
  'settings-new-webhook': section('webhooks', 'Webhooks', async (page) => {
    await press(page, 'Create a webhook')
    await page.getByRole('dialog').getByLabel('Address').waitFor()
  }),
  'settings-webhook': section('webhooks', 'Webhooks', async (page) => {
    await page.getByRole('link', { name: 'https://receiver.example/reelkeep' }).click()
    await page.getByRole('button', { name: /^Details of event/ }).waitFor()
  }),
  'settings-delivery': section('webhooks', 'Webhooks', async (page) => {
    await page.getByRole('link', { name: 'https://receiver.example/reelkeep' }).click()
    await page.getByRole('button', { name: /^Details of event/ }).click()
    await page.getByRole('dialog').getByRole('heading', { name: 'Request' }).waitFor()
  }),
  'settings-events': section('events', 'Events', (page) => page.getByText('Live', { exact: true }).waitFor()),
}

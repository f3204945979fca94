/** The states of the settings that tests check and of which screenshots are taken. */
import type { Page } from 'playwright-core'
import { joinWithPassword, PASSWORD } from '../../dashboard-fixture.ts'
import type { LibraryFixture } from '../../library-data.ts'
import { changeMe, failing, oncePerFixture, problem, type State, type States, signedIn } from '../state.ts'

/** Fills the lists of the settings. */
const prepareSettings = oncePerFixture(async (fixture) => {
  const { caller } = fixture
  const { body: folder } = await caller.post<{ uuid: string }>('assets/folders/', { title: 'Open air 2026' })
  const { page } = await fixture.newPage()
  const link = await fixture.invite('noor@example.org', { role: 'manager' })
  await joinWithPassword(page, link, 'Noor Haddad', PASSWORD)
  await page.context().close()
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
})

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
async function openSection(page: Page, fixture: LibraryFixture, path: string) {
  await prepareSettings(fixture)
  const { origin, organizationId } = fixture
  await page.goto(`${origin}/o/${organizationId}/settings/${path}`)
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' })
}

export const section = (path: string, then: (page: Page) => Promise<unknown> = async () => {}): State =>
  signedIn(async (page, fixture) => {
    await openSection(page, fixture, path)
    await then(page)
  })

const none = { json: { count: 0, next: null, previous: null, results: [] } }

/** A section whose list is empty, or cannot be read. */
const withResponse = (path: string, pattern: RegExp, response: object): State =>
  signedIn(async (page, fixture) => {
    await page.route(pattern, (route) => route.fulfill(response))
    await openSection(page, fixture, path)
  })

export const settingsStates: States = {
  'settings-without-sections': signedIn(async (page, { origin, organizationId }) => {
    const scopes = ['assets:read', 'folders:read']
    await changeMe(page, (me) => ({ ...me, memberships: me.memberships.map((one) => ({ ...one, scopes })) }))
    await page.goto(`${origin}/o/${organizationId}/settings`)
    await page.getByText('Your role cannot view the organization settings.').waitFor()
  }),
  'settings-members': section('members'),
  'settings-members-nobody': section('members', async (page) => {
    await page.getByLabel('Search members').fill('nowhere')
    await page.getByText('No members found').waitFor()
  }),
  'settings-tokens': section('tokens'),
  'settings-tokens-empty': withResponse('tokens', /\/tokens\//, none),
  'settings-tokens-failed': failing(withResponse('tokens', /\/tokens\//, problem(500, 'internal_error'))),
  'settings-api-example': section('tokens', async (page) => {
    await page.getByText('Do this with the API').click()
    await page.getByText('curl --fail-with-body').first().waitFor()
  }),
  'settings-roles': section('roles', (page) => page.getByText('Permissions').nth(2).click()),
  'settings-organization': section('organization'),
  'settings-usage': signedIn(async (page, fixture) => {
    await page.route('**/usage/?*', (route) => route.fulfill({ json: sampleUsage() }))
    await openSection(page, fixture, 'usage')
    await page.getByText('Show as a table').first().click()
  }),
  'settings-audit': section('audit', (page) => page.getByText('Last entry', { exact: true }).waitFor()),
  'settings-signing-keys': section('signing-keys'),
  'settings-signing-keys-empty': withResponse('signing-keys', /\/signing-keys\//, none),
  'settings-webhooks': section('webhooks'),
  'settings-webhooks-empty': withResponse('webhooks', /\/webhooks\//, none),
  'settings-webhook': section('webhooks', openWebhook),
  'settings-events': section('events', (page) => page.getByText('Live', { exact: true }).waitFor()),
}

export async function openWebhook(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'https://receiver.example/reelkeep' }).click()
  await page
    .getByRole('button', { name: /^Details of event/ })
    .first()
    .waitFor()
}

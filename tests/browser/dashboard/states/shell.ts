/** The states of what is around all pages: menus, shortcuts, the command palette and messages about the service. */
import type { Page } from 'playwright-core'
import type { LibraryFixture } from '../library-data.ts'
import { prepareLibrary } from './library-content.ts'
import { changeMe, failing, heading, openNavigation, press, problem, type States, signedIn } from './state.ts'

async function openAccount(page: Page, { origin }: LibraryFixture): Promise<void> {
  await page.goto(`${origin}/account`)
  await heading(page, 'Where you are signed in')
}

async function openLibrary(page: Page, fixture: LibraryFixture): Promise<void> {
  await prepareLibrary(fixture)
  await page.goto(`${fixture.origin}/o/${fixture.organizationId}/library`)
  // Other states may have added videos before those of the library.
  await page.getByRole('option').first().waitFor()
}

async function openUserMenu(page: Page): Promise<void> {
  await openNavigation(page)
  await page.getByRole('button', { name: /^Your account/ }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).waitFor()
}

const openPalette = async (page: Page) => {
  await page.keyboard.press('Control+k')
  await page.getByRole('menuitem', { name: 'Keyboard shortcuts' }).waitFor()
}

/** Adds a second organization to the account. */
const addOrganization = (page: Page) =>
  changeMe(page, (me) => {
    const other = { ...me.memberships[0], organization_id: 'tonhalle', organization_name: 'Tonhalle Zürich' }
    return { ...me, memberships: [...me.memberships, other] }
  })

const passkey = {
  ...{ id: 'none', name: 'Chrome on Linux' },
  ...{ created_at: '2026-11-02T09:00:00Z', last_used_at: '2026-11-16T09:00:00Z' },
}

export const shellStates: States = {
  'user-menu': signedIn(async (page, fixture) => {
    await openAccount(page, fixture)
    await openUserMenu(page)
  }),
  'organization-menu': signedIn(async (page, fixture) => {
    await addOrganization(page)
    await openLibrary(page, fixture)
    await openNavigation(page)
    await page.getByRole('button', { name: /^Organization:/ }).click()
    await page.getByRole('menuitemradio', { name: 'Tonhalle Zürich' }).waitFor()
  }),
  navigation: signedIn(async (page, fixture) => {
    await openLibrary(page, fixture)
    await openNavigation(page)
    await page.getByRole('row', { name: 'Concerts', exact: true }).waitFor()
  }),
  shortcuts: signedIn(async (page, fixture) => {
    await openLibrary(page, fixture)
    await page.keyboard.press('?')
    await heading(page, 'Keyboard shortcuts')
  }),
  'command-palette': signedIn(async (page, fixture) => {
    await openLibrary(page, fixture)
    await openPalette(page)
  }),
  'command-palette-found': signedIn(async (page, fixture) => {
    await openLibrary(page, fixture)
    await openPalette(page)
    await page.keyboard.type('on')
    await page.getByRole('menuitem', { name: 'Concerts' }).waitFor()
  }),
  'command-palette-nothing': signedIn(async (page, fixture) => {
    await openLibrary(page, fixture)
    await openPalette(page)
    await page.keyboard.type('no such thing')
    await page.getByRole('menuitem', { name: 'Search “no such thing” in all videos' }).waitFor()
  }),
  'service-unavailable': failing(
    signedIn(async (page, fixture) => {
      await openLibrary(page, fixture)
      await page.route('**/api/**', (route) => route.fulfill(problem(503, 'service_unavailable')))
      await page.getByRole('button', { name: /^Order/ }).click()
      await page.getByRole('menuitemradio', { name: 'Oldest first' }).click()
      await page.getByText('is temporarily unavailable.').first().waitFor()
    }),
  ),
  'service-unreachable': failing(
    signedIn(async (page, fixture) => {
      await openLibrary(page, fixture)
      await page.route('**/api/**', (route) => route.abort())
      await page.getByRole('button', { name: /^Order/ }).click()
      await page.getByRole('menuitemradio', { name: 'Oldest first' }).click()
      await page.getByText('The connection to the server is interrupted.').waitFor()
    }),
  ),
  'page-not-found': signedIn(async (page, { origin, organizationId }) => {
    await page.goto(`${origin}/o/${organizationId}/nowhere`)
    await heading(page, 'This page does not exist')
  }),
  'page-of-others': signedIn(async (page, { origin }) => {
    await page.goto(`${origin}/o/tonhalle/library`)
    await heading(page, 'You are not a member of this organization')
  }),
  'start-without-organization': signedIn(async (page, { origin }) => {
    await changeMe(page, (me) => ({ ...me, memberships: [] }))
    await page.goto(`${origin}/`)
    await heading(page, 'You are not a member of an organization')
  }),
  'page-error': failing(
    signedIn(async (page, { origin }) => {
      await page.route('**/api/account/me/', (route) => route.fulfill(problem(500, 'internal_error')))
      await page.goto(`${origin}/account`)
      await heading(page, 'This page could not be loaded')
    }),
  ),
  'page-part-missing': failing(
    signedIn(async (page, fixture) => {
      await openLibrary(page, fixture)
      await page.route(/command-palette.*\.js/, (route) => route.abort())
      await page.keyboard.press('Control+k')
      await heading(page, 'This page could not be loaded')
    }),
  ),
  account: signedIn(openAccount),
  'account-password': signedIn(async (page, fixture) => {
    await openAccount(page, fixture)
    await page.getByRole('button', { name: 'Change password' }).click()
    await page.getByLabel('New password').waitFor()
  }),
  'account-authenticator-app': signedIn(async (page, fixture) => {
    await openAccount(page, fixture)
    await page.getByRole('button', { name: 'Set up' }).click()
    await page.getByRole('dialog').getByLabel('Code', { exact: true }).waitFor()
  }),
  'account-remove-authenticator-app': signedIn(async (page, fixture) => {
    await changeMe(page, (me) => ({ ...me, person: { ...me.person, has_totp: true } }))
    await openAccount(page, fixture)
    await press(page, 'Remove')
    await page.getByRole('alertdialog').waitFor()
  }),
  'account-remove-passkey': signedIn(async (page, fixture) => {
    await page.route('**/me/passkeys/', (route) => route.fulfill({ json: { results: [passkey] } }))
    await openAccount(page, fixture)
    await press(page, 'Remove Chrome on Linux')
    await page.getByRole('alertdialog').waitFor()
  }),
  'account-sign-in-again': signedIn(async (page, fixture) => {
    await page.route('**/me/totp/', (route) => route.fulfill(problem(403, 'recent_sign_in_required')))
    await openAccount(page, fixture)
    await page.getByRole('button', { name: 'Set up' }).click()
    await heading(page, 'Confirm your identity')
  }),
}

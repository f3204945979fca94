/** The settings of the dashboard in Chromium, served by a real API. */
import { opened } from '@reelkeep/testkit/vitest'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { joinWithPassword, openDashboardFixture } from './dashboard-fixture.ts'
import { PASSWORD } from './page-states.ts'

const fixture = await opened(openDashboardFixture('dashboard_settings'))
const { caller, origin, organizationId } = fixture

/** Cookies of a new member with the role. */
async function cookiesOf(role: string) {
  const { page } = await fixture.newPage()
  await joinWithPassword(page, await fixture.invite(`${role}@example.org`, { role }), `The ${role}`, PASSWORD)
  const storageState = await page.context().storageState()
  await page.context().close()
  return { cookies: storageState.cookies, origins: [] }
}

const owner = await cookiesOf('owner')

const settingsUrl = (path: string) => `${origin}/o/${organizationId}/settings/${path}`

async function openSettings(path: string, title: string, storageState = owner) {
  const { page, problems } = await fixture.newPage({ storageState, permissions: ['clipboard-read', 'clipboard-write'] })
  await page.goto(settingsUrl(path))
  await page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor()
  return { page, problems }
}

const TABS_MAX = 60

/** Presses Tab until the element with this name has the focus. */
async function tabTo(page: Page, role: 'button' | 'textbox' | 'combobox' | 'checkbox' | 'link', name: string | RegExp) {
  const target = page.getByRole(role, { name, ...(typeof name === 'string' && { exact: true }) })
  await target.first().waitFor()
  for (let presses = 0; presses < TABS_MAX; presses++) {
    if ((await target.and(page.locator(':focus')).count()) > 0) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`${role} "${name}" cannot be reached with Tab.`)
}

async function tabAndPress(page: Page, role: 'button' | 'checkbox' | 'link', name: string | RegExp, key = 'Enter') {
  await tabTo(page, role, name)
  await page.keyboard.press(key)
}

const clipboard = (page: Page) => page.evaluate('navigator.clipboard.readText()') as Promise<string>

describe('members', () => {
  it('are invited with the keyboard only, and the link is shown once', async () => {
    const { page, problems } = await openSettings('members', 'Members')
    await tabAndPress(page, 'button', 'Invite a member')
    await page.getByLabel('Email address').waitFor()
    await page.keyboard.type('kim@example.org')
    await tabTo(page, 'combobox', 'Role')
    await page.keyboard.press('v')
    await page.getByText('Can browse and watch videos.').waitFor()
    await page.keyboard.press('Enter')
    await tabAndPress(page, 'button', 'Create invitation')
    await tabAndPress(page, 'button', 'Copy: Invitation link')
    await expect.poll(() => clipboard(page)).toMatch(/\/invitation#./)
    const link = await clipboard(page)
    await tabAndPress(page, 'button', 'Done')
    await page.getByRole('listitem').filter({ hasText: 'kim@example.org' }).waitFor()
    expect(await page.content()).not.toContain(new URL(link).hash)
    const { page: invited } = await fixture.newPage()
    await joinWithPassword(invited, link, 'Kim', PASSWORD)
    const { body } = await caller.get<{ results: { name: string; role: { id: string } }[] }>('members/?q=kim')
    expect(body.results.map(({ name, role }) => [name, role.id])).toEqual([['Kim', 'viewer']])
    expect(problems).toEqual([])
  })

  it('get another role and are removed with the keyboard only', async () => {
    await cookiesOf('editor')
    const { page, problems } = await openSettings('members', 'Members')
    await tabAndPress(page, 'button', 'Actions for The editor')
    await page.getByRole('menuitem', { name: 'Change role or folder' }).waitFor()
    await page.keyboard.press('Enter')
    await tabTo(page, 'combobox', 'Role')
    await page.keyboard.press('m')
    await tabAndPress(page, 'button', 'Save')
    await page.getByText('The member was changed.').waitFor()
    await page.getByRole('listitem').filter({ hasText: 'The editor' }).getByText('Manager').waitFor()
    await tabAndPress(page, 'button', 'Actions for The editor')
    await page.getByRole('menuitem', { name: 'Remove' }).waitFor()
    await page.keyboard.press('End')
    await page.keyboard.press('Enter')
    await tabAndPress(page, 'checkbox', 'Also end what the member created', ' ')
    await tabAndPress(page, 'button', 'Remove')
    await page.getByText('The editor was removed.').waitFor()
    await expect.poll(() => page.getByRole('button', { name: 'Actions for The editor' }).count()).toBe(0)
    expect(problems).toEqual([])
  })

  it('lose an invitation that is revoked', async () => {
    await fixture.invite('revoked@example.org')
    const { page } = await openSettings('members', 'Members')
    await page.getByRole('button', { name: 'Revoke the invitation of revoked@example.org' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke', exact: true }).click()
    await page.getByText('The invitation of revoked@example.org was revoked.').waitFor()
    await expect.poll(() => page.getByText('revoked@example.org', { exact: true }).count()).toBe(0)
  })
})

describe('API tokens', () => {
  it('are created with the keyboard only; the secret works and is shown once', async () => {
    const { page, problems } = await openSettings('tokens', 'API tokens')
    await tabAndPress(page, 'button', 'Create a token')
    await page.getByLabel('Name').waitFor()
    await page.keyboard.type('Catalog')
    await tabAndPress(page, 'button', 'Create token')
    await page.getByText('Choose at least one.').waitFor()
    await page.getByLabel('Name').focus()
    await tabAndPress(page, 'checkbox', 'See folders', ' ')
    await tabAndPress(page, 'button', 'Create token')
    await tabAndPress(page, 'button', 'Copy: API token')
    await expect.poll(() => clipboard(page)).toMatch(/\w{20}/)
    const secret = await clipboard(page)
    expect((await caller.withToken(secret).get('assets/folders/')).status).toBe(200)
    expect((await caller.withToken(secret).get('assets/')).status).toBe(403)
    await tabAndPress(page, 'button', 'Done')
    await page.getByText('Catalog').waitFor()
    await page.reload()
    await page.getByText('Catalog').waitFor()
    expect(await page.content()).not.toContain(secret)
    expect(problems).toEqual([])
  })

  it('are replaced and revoked', async () => {
    const { body: token } = await caller.post<{ token: string }>('tokens/', {
      name: 'Importer',
      scopes: ['assets:read'],
    })
    const { page } = await openSettings('tokens', 'API tokens')
    await page.getByRole('button', { name: 'Actions for Importer' }).click()
    await page.getByRole('menuitem', { name: 'Replace' }).click()
    await page.getByLabel('The old token works for').selectOption('0')
    await page.getByRole('dialog').getByRole('button', { name: 'Replace' }).click()
    const secret = await page.getByLabel('API token', { exact: true }).inputValue()
    await page.getByRole('button', { name: 'Done' }).click()
    await expect.poll(async () => (await caller.withToken(token.token).get('assets/')).status).toBe(401)
    expect((await caller.withToken(secret).get('assets/')).status).toBe(200)
    await page.getByRole('button', { name: 'Actions for Importer' }).click()
    await page.getByRole('menuitem', { name: 'Revoke' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await page.getByText('The token “Importer” was revoked.').waitFor()
    await expect.poll(async () => (await caller.withToken(secret).get('assets/')).status).toBe(401)
  })
})

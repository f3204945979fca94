/** The settings of the dashboard in Chromium, served by a real API. */
import { readFileSync } from 'node:fs'
import { opened } from '@reelkeep/testkit/vitest'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { joinWithPassword, openDashboardFixture } from './dashboard-fixture.ts'
import { PASSWORD } from './page-states.ts'

const fixture = await opened(openDashboardFixture('dashboard_settings'))
const { caller, origin, organizationId } = fixture

/** Cookies of a new member with the role. */
async function cookiesOf(role: string, name = role) {
  const { page } = await fixture.newPage()
  await joinWithPassword(page, await fixture.invite(`${name}@example.org`, { role }), `The ${name}`, PASSWORD)
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
    await cookiesOf('editor', 'colleague')
    const { page, problems } = await openSettings('members', 'Members')
    await tabAndPress(page, 'button', 'Actions for The colleague')
    await page.getByRole('menuitem', { name: 'Change role or folder' }).waitFor()
    await page.keyboard.press('Enter')
    await tabTo(page, 'combobox', 'Role')
    await page.keyboard.press('m')
    await tabAndPress(page, 'button', 'Save')
    await page.getByText('The member was changed.').waitFor()
    await page.getByRole('listitem').filter({ hasText: 'The colleague' }).getByText('Manager').waitFor()
    await tabAndPress(page, 'button', 'Actions for The colleague')
    await page.getByRole('menuitem', { name: 'Remove' }).waitFor()
    await page.keyboard.press('End')
    await page.keyboard.press('Enter')
    await tabAndPress(page, 'checkbox', 'Also revoke the access that the member granted', ' ')
    await tabAndPress(page, 'button', 'Remove')
    await page.getByText('The colleague was removed.').waitFor()
    await expect.poll(() => page.getByRole('button', { name: 'Actions for The colleague' }).count()).toBe(0)
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
    await page.getByLabel('Old token valid for').selectOption('0')
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

describe('roles', () => {
  it('are created with the keyboard only and then offered for members', async () => {
    const { page, problems } = await openSettings('roles', 'Roles')
    await tabAndPress(page, 'button', 'Create a role')
    await page.getByLabel('Name').waitFor()
    await page.keyboard.type('Archivist')
    await tabAndPress(page, 'checkbox', 'Download the original files', ' ')
    await tabAndPress(page, 'button', 'Create role')
    await page.getByText('The role was created.').waitFor()
    await page.getByRole('listitem').filter({ hasText: 'Archivist' }).waitFor()
    const { body } = await caller.get<{ results: { name: string; scopes: string[] }[] }>('roles/')
    expect(body.results.find(({ name }) => name === 'Archivist')?.scopes.toSorted()).toEqual([
      ...['assets:read', 'folders:read', 'source:read'],
    ])
    await page.goto(settingsUrl('members'))
    await page.getByRole('button', { name: 'Invite a member' }).click()
    await page.getByRole('dialog').getByLabel('Role').selectOption('Archivist')
    expect(problems).toEqual([])
  })
})

describe('signing keys', () => {
  it('show the private key once and are deleted', async () => {
    const { page } = await openSettings('signing-keys', 'Signing keys')
    await tabAndPress(page, 'button', 'Create a key')
    await page.getByLabel('Name').waitFor()
    await page.keyboard.type('Intranet')
    await page.keyboard.press('Enter')
    const secret = await page.getByLabel('Private key', { exact: true }).inputValue()
    expect(secret).toContain('BEGIN PRIVATE KEY')
    await tabAndPress(page, 'button', 'Done')
    await page.getByRole('button', { name: 'Delete Intranet' }).waitFor()
    await page.reload()
    await page.getByRole('button', { name: 'Delete Intranet' }).waitFor()
    expect(await page.content()).not.toContain('PRIVATE KEY')
    await page.getByRole('button', { name: 'Delete Intranet' }).click()
    await page.getByRole('button', { name: 'Delete key' }).click()
    await page.getByText('There are no signing keys yet').waitFor()
  })
})

describe('events', () => {
  it('appear without a reload, and are filtered by type', async () => {
    const { page } = await openSettings('events', 'Events')
    await page.getByText('Live', { exact: true }).waitFor()
    await caller.post('assets/folders/', { title: 'Made while the page is open' })
    await page.getByText('Made while the page is open').waitFor()
    await page.getByLabel('Type').selectOption('token.*')
    await expect.poll(() => page.getByText('Made while the page is open').count()).toBe(0)
    await page.getByLabel('Type').selectOption('folder.created')
    await page.getByText('Made while the page is open').waitFor()
  })
})

describe('the audit log', () => {
  it('shows who did what, with filters, details, an export and the fingerprint of the last entry', async () => {
    const { page } = await openSettings('audit', 'Audit log')
    await page.getByRole('searchbox', { name: 'Action' }).fill('createInvitation')
    await expect.poll(() => page.getByRole('listitem').filter({ hasText: 'Create token' }).count()).toBe(0)
    await page
      .getByRole('button', { name: /^Details of entry/ })
      .first()
      .click()
    await page.getByRole('dialog').getByText('createInvitation').waitFor()
    await page.keyboard.press('Escape')
    const { body: head } = await caller.get<{ number: number; hash: string }>('audit/head/')
    await page.reload()
    await page
      .getByText(/^[\da-f]{64}$/)
      .first()
      .waitFor()
    const saved = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Export' }).click()
    const lines = readFileSync(await (await saved).path(), 'utf8')
      .trim()
      .split('\n')
    expect(lines[head.number - 1]).toContain(head.hash)
  })
})

it('the audit log shows the other entries of a person and about an object', async () => {
  const { body: made } = await caller.post<{ uuid: string }>('assets/folders/', { title: 'Audited' })
  await caller.patch(`assets/folders/${made.uuid}/`, { title: 'Audited twice' })
  const { page } = await openSettings('audit', 'Audit log')
  const entries = page.getByRole('list', { name: 'Audit log' }).getByRole('listitem')
  const openDetails = async (text: string) => {
    await entries.filter({ hasText: text }).first().getByRole('button').press('Enter')
    return page.getByRole('dialog')
  }
  const byObject = await openDetails(made.uuid)
  await byObject.getByRole('button', { name: 'Entries about this object' }).press('Enter')
  await expect.poll(() => entries.count()).toBe(2)
  await page.getByRole('button', { name: `Remove the filter Object: ${made.uuid}` }).press('Enter')
  const byPerson = await openDetails('The owner')
  await byPerson.getByRole('button', { name: 'Entries of The owner' }).press('Enter')
  await page.getByRole('button', { name: 'Remove the filter Who: The owner' }).waitFor()
  await expect.poll(() => entries.filter({ hasText: made.uuid }).count()).toBe(0)
  expect(await entries.filter({ hasNotText: 'The owner' }).count()).toBe(0)
})

describe('the organization', () => {
  it('is renamed and gets other defaults', async () => {
    const { page } = await openSettings('organization', 'Organization')
    await page.getByLabel('Name').fill('Acme Pictures')
    await page.getByLabel('Days in the trash').fill('14')
    await page.getByLabel('720p').check()
    await page.getByRole('button', { name: 'Save changes' }).press('Enter')
    await page.getByText('The settings were saved.').waitFor()
    const { body } = await caller.get('organization/')
    expect(body).toMatchObject({ name: 'Acme Pictures', trash_days: 14 })
    await page.getByRole('complementary', { name: 'Navigation' }).getByText('Acme Pictures').waitFor()
    // The first upload in this browser starts with the defaults.
    await page.getByRole('link', { name: 'Library' }).click()
    await page.getByRole('button', { name: 'Upload', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Upload videos' })
    await dialog.getByLabel('720p').waitFor()
    expect(await dialog.getByRole('checkbox', { checked: true }).count()).toBe(1)
    expect(await dialog.getByLabel('720p').isChecked()).toBe(true)
  })
})

describe('usage', () => {
  it('is shown as charts, and as tables with the same values', async () => {
    const { page } = await openSettings('usage', 'Usage')
    await page.getByRole('img', { name: /^Chart: API requests/ }).waitFor()
    await page.getByText('Show as a table').last().click()
    expect(await page.getByRole('table', { name: 'API requests' }).getByRole('row').count()).toBe(31)
    await page.getByLabel('Period', { exact: true }).selectOption('year')
    await expect.poll(() => page.getByRole('table', { name: 'API requests' }).getByRole('row').count()).toBe(13)
  })
})

/** The settings that each role sees, and requests that the API refuses for it. */
const matrix = {
  manager: {
    sections: [
      'Members',
      'Roles',
      'Organization',
      'Usage',
      'Audit log',
      'API tokens',
      'Signing keys',
      'Webhooks',
      'Events',
    ],
    refused: [['POST', 'signing-keys/', { name: 'Key' }]],
  },
  editor: {
    sections: ['Events'],
    refused: [
      ['GET', 'members/'],
      ['GET', 'tokens/'],
      ['GET', 'audit/'],
    ],
  },
  uploader: {
    sections: ['Events'],
    refused: [
      ['GET', 'webhooks/'],
      ['POST', 'tokens/', { name: 'T', scopes: ['*'] }],
    ],
  },
  viewer: {
    sections: ['Events'],
    refused: [
      ['GET', 'organization/'],
      ['GET', 'usage/'],
      ['GET', 'roles/'],
    ],
  },
} as const

describe.each(Object.entries(matrix))('the role %s', (role, { sections, refused }) => {
  it('is offered only what it permits, and the API refuses the rest', async () => {
    const cookies = await cookiesOf(role)
    const { page } = await fixture.newPage({ storageState: cookies })
    await page.goto(settingsUrl(''))
    const links = page.getByRole('navigation', { name: 'Settings' }).getByRole('link')
    await links.first().waitFor()
    expect(await links.allInnerTexts()).toEqual([...sections, 'Your account'])
    await page.goto(settingsUrl('signing-keys'))
    await page.getByRole('heading', { level: 1 }).waitFor()
    expect(await page.getByRole('button', { name: 'Create a key' }).count()).toBe(0)
    for (const [method, path, body] of refused) {
      const status = await page.evaluate(`fetch('/api/v1/${organizationId}/${path}', {
        method: '${method}', headers: { 'Content-Type': 'application/json' },
        ${body === undefined ? '' : `body: '${JSON.stringify(body)}'`}
      }).then((response) => response.status)`)
      expect([path, status]).toEqual([path, 403])
    }
  })
})

it('a manager cannot change an owner, nor make someone an owner', async () => {
  const { page } = await openSettings('members', 'Members', await cookiesOf('manager', 'second-manager'))
  await page.getByText('The owner').waitFor()
  expect(await page.getByRole('button', { name: 'Actions for The owner' }).count()).toBe(0)
  await page.getByRole('button', { name: 'Invite a member' }).click()
  const roles = await page.getByRole('dialog').getByLabel('Role').locator('option').allInnerTexts()
  expect(roles).toContain('Manager')
  expect(roles).not.toContain('Owner')
})
